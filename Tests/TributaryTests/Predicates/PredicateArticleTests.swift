import Foundation
import TestSupport
import Testing

@testable import Tributary

/// Everything that the article on predicates prints can be parsed and runs, with equal results in the store and in memory.
@Suite struct PredicateArticleTests {
    private let article: String
    private let container: PersistentContainer

    init() async throws {
        let path = PackageFolder.path("Sources/TributaryModel/TributaryModel.docc/Predicates.md")
        article = try String(contentsOfFile: path, encoding: .utf8)
        container = try await PersistentContainer(
            name: "article",
            model: try Model(yaml: PredicateModel.text),
            store: .memory
        )
        try await container.save { context in
            let sales = try context.insert("Department", ["title": .string("Sales")])
            let till = try context.insert("Project", ["title": .string("Till"), "hours": .integer(6)])
            for (name, salary, born) in [("Ann", 2000.0, -1e9), ("Bob", 500, 6.7e8), ("Andrea", 1800, 0)] {
                let employee = try context.insert(entity: "Employee")
                try employee.setValue(.string(name), forKey: "name")
                try employee.setValue(.double(salary), forKey: "salary")
                try employee.setValue(.integer(Int64(salary)), forKey: "visits")
                try employee.setValue(.date(DateValue(unixSeconds: born)), forKey: "born")
                guard name != "Bob" else { continue }
                try employee.setValue(.boolean(true), forKey: "active")
                try sales.link(employee, forKey: "employees")
                try till.link(employee, forKey: "members")
            }
        }
    }

    /// The lines of the blocks without a language, which are predicates.
    private var lines: [String] {
        var blocks: [[String]] = []
        var open: [String]?
        for line in article.components(separatedBy: "\n") {
            switch (line.hasPrefix("```"), open) {
            case (true, let block?):
                if block.first == "```" { blocks.append(Array(block.dropFirst())) }
                open = nil
            case (true, nil): open = [line]
            case (false, _): open?.append(line)
            }
        }
        return blocks.filter { !$0.contains { $0.contains("^") } }.flatMap { $0 }
    }

    /// The names that fulfil a predicate, from the store and from memory.
    private func names(_ text: String, _ arguments: [PredicateArgument] = []) async throws -> [[String]] {
        try await names(try ObjectPredicate(parsing: text, arguments: arguments))
    }

    private func names(_ predicate: ObjectPredicate) async throws -> [[String]] {
        try await container.performBackgroundTask { context in
            let request = FetchRequest("Employee", predicate: predicate, sortKeys: [SortKey("name")])
            let names = { (objects: [ManagedObject]) in
                try objects.map { "\(try $0.value(forKey: "name"))" }
            }
            let stored = try names(try context.fetch(request))
            for employee in try context.fetch(FetchRequest("Employee")) {
                try employee.setValue(.string("x"), forKey: "like")
            }
            return [stored, try names(try context.fetch(request))]
        }
    }

    @Test func everyLineRuns() async throws {
        let lines = lines
        #expect(lines.count >= 9)
        for line in lines {
            let found = try await names(line)
            #expect(found[0] == found[1] && !found[0].isEmpty, "\(line): \(found)")
            let described = try ObjectPredicate(parsing: line).description
            #expect(try ObjectPredicate(parsing: described) == ObjectPredicate(parsing: line), "\(line)")
        }
    }

    @Test func theTableOfComparisonsRuns() async throws {
        let section = article.components(separatedBy: "### ")
        let table = try #require(section.first { $0.hasPrefix("Comparisons") })
        let cells = table.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }.map {
            String($0.split(separator: "|")[0])
        }
        #expect(cells.count == 8)
        for cell in cells {
            for code in cell.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
                let isText = code.contains("'") || code.hasSuffix("WITH") || code.hasPrefix("CONTAINS")
                let left = isText ? "name" : "visits"
                let text: String
                if code.hasPrefix("[") {
                    text = "name ==\(code) 'ann'"
                } else if code.hasPrefix("x ") {
                    text = left + code.dropFirst()
                } else if isText {
                    text = "name \(code) 'A'"
                } else {
                    text = "visits \(code) 500"
                }
                let found = try await names(text)
                #expect(found[0] == found[1], "\(text)")
            }
        }
    }

    private func mentioned(in heading: String) throws -> Set<String> {
        let sections = article.components(separatedBy: "### ")
        let section = try #require(sections.first { $0.hasPrefix(heading) })
        let prose = section.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let withoutLinks = prose.map { $0.replacing(/``[^`]+``/, with: "") }
        return Set(withoutLinks.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } })
    }

    /// For everything that the sections mention, a predicate that has it; placeholders and refused words have tests of
    /// their own.
    private static let uses = [
        "AND": "salary > 1 AND salary < 9", "&&": "TRUEPREDICATE && salary > 1", "OR": "salary > 1 OR salary < 9",
        "||": "salary < 1e9 || salary > -2.5", "NOT": "NOT salary == 0 AND salary != 0", "!": "!(salary == 0)",
        "TRUEPREDICATE": "TRUEPREDICATE", "FALSEPREDICATE": "NOT FALSEPREDICATE", "#like == 'x'": "#like == 'x'",
        "5": "salary > 5", "-2.5": "salary > -2.5", "1e9": "salary < 1e9", #"\'"#: #"name != 'a\'b'"#,
        #"\""#: #"name != "a\"b""#, #"\\"#: #"name != 'a\\b'"#, #"\n"#: #"name != 'a\n'"#, #"\r"#: #"name != 'a\r'"#,
        #"\t"#: #"name != 'a\t'"#, #"\u00e9"#: #"name != "A\u00e9\n""#, "TRUE": "active == TRUE",
        "YES": "active == YES",
        "FALSE": "active != FALSE", "NO": "active != NO", "NULL": "boss == NULL", "NIL": "boss == NIL",
        "{1, 2}": "NOT visits IN {1, 2}", "'2026-11-21T10:30:00Z'": "born < '2026-11-21T10:30:00Z'",
        "department.title": "department.title == 'Sales'", "SELF": "SELF != NULL",
        "ANY": "ANY projects.title == 'Till'",
        "SOME": "SOME projects.title == 'Till'", "ALL": "ALL projects.title == 'Till'",
        "NONE": "NONE projects.title == 'Till'", "projects.@count": "projects.@count == 1",
        "x IN projects": "NOT '00000000-0000-0000-0000-000000000001' IN projects", "projects == nil": "projects == nil",
        "projects != nil": "projects != nil", "name.length": "name.length > 1", "IN": "name IN {'Ann', 'Bob'}",
        "+": "salary + 1 > 2", "-": "salary - 1 > 2", "*": "salary * 2 > 2", "/": "salary / 2 > 2",
        "**": "salary ** 2 > 2",
        "abs:": "abs:(salary) > 0", "ceiling:": "ceiling:(salary) > 0", "floor:": "floor:(salary) > 0",
        "trunc:": "trunc:(salary) > 0", "sqrt:": "sqrt:(salary) > 1", "modulus:by:": "modulus:by:(visits, 7) > 0",
        "uppercase:": "uppercase:(name) == 'ANN'", "lowercase:": "lowercase:(name) == 'ann'",
        "canonical:": "canonical:(name) == 'ann'", "length:": "length:(name) > 3", "now()": "born < now()",
        "CAST": "CAST(salary, 'NSString') != ''", "'NSNumber'": "CAST(born, 'NSNumber') < 0",
        "'NSDecimalNumber'": "CAST(salary, 'NSDecimalNumber') > 1", "'NSString'": "CAST(salary, 'NSString') != ''",
        "'NSDate'": "CAST(visits, 'NSDate') != NULL", "@count": "reports.@count == 0",
        "@sum": "projects.@sum.hours > 5",
        "@min": "projects.@min.hours > 1", "@max": "projects.@max.hours > 1", "@avg": "projects.@avg.hours > 1",
    ]

    private static let refused = [
        "FUNCTION": "FUNCTION(name, 'uppercase') == 'A'", "TERNARY": "TERNARY(salary > 1, 1, 2) == 1",
        "UNION": "projects UNION projects == 1", "INTERSECT": "projects INTERSECT projects == 1",
        "MINUS": "projects MINUS projects == 1",
        "@distinctUnionOfObjects": "projects.@distinctUnionOfObjects.hours == 1",
    ]

    @Test func theTestsUseEverythingThatTheSectionsMention() throws {
        let mentioned = try ["Words", "Paths", "Arithmetic"].reduce(into: Set<String>()) {
            $0.formUnion(try self.mentioned(in: $1))
        }
        let ofOtherTests = mentioned.filter { $0.contains("%") || $0 == "$NAME" || $0.hasPrefix("evaluate(") }
        #expect(mentioned.subtracting(ofOtherTests) == Set(Self.uses.keys).union(Self.refused.keys))
        #expect(ofOtherTests.count == 14, "\(ofOtherTests)")
        for (mention, text) in Self.uses.merging(Self.refused, uniquingKeysWith: { first, _ in first }) {
            let word = mention.replacing("x IN", with: " IN")
            #expect(text.contains(word), "\(text) has \(mention)")
        }
    }

    @Test(arguments: uses.keys.sorted())
    func everythingThatTheSectionsMentionRuns(_ mention: String) async throws {
        let text = try #require(Self.uses[mention])
        let found = try await names(text)
        // The comparison in memory follows a change of the property `like` in all three objects.
        if mention.contains("#like") {
            #expect(found.map(\.count) == [0, 3], "\(text): \(found)")
        } else {
            #expect(found[0] == found[1], "\(text): \(found)")
        }
    }

    @Test func theTestsUseEveryFunction() throws {
        func functions(in value: Any) -> Set<ObjectPredicate.Function> {
            if let function = value as? ObjectPredicate.Function { return [function] }
            return Mirror(reflecting: value).children.reduce(into: []) { $0.formUnion(functions(in: $1.value)) }
        }
        let used = try Self.uses.values.reduce(into: Set<ObjectPredicate.Function>()) {
            $0.formUnion(functions(in: try ObjectPredicate(parsing: $1)))
        }
        #expect(used == Set(ObjectPredicate.Function.allCases))
    }

    @Test func thePlaceholdersRun() async throws {
        for text in ["%K.@count == 1", "boss.%K == NULL", "ANY %K.title == 'Till'"] {
            let path = text.hasPrefix("boss") ? "name" : "projects"
            let found = try await names(text, [.value(.string(path))])
            #expect(found[0] == found[1] && !found[0].isEmpty, "\(text)")
        }
        let named = try ObjectPredicate(parsing: "name == $NAME").substituting(["NAME": "Ann"])
        #expect(try await names(named).map(\.count) == [1, 1])
        for text in ["visits == %d", "visits == %hd", "visits == %lld", "salary == %f", "salary == %.1f"] {
            #expect(try await names(text, [.value(.integer(500))]).map(\.count) == [1, 1], "\(text)")
        }
        let inner = "SUBQUERY(projects, $p, $p.%K == 'Till').@count == 1"
        #expect(try await names(inner, [.value(.string("title"))]).map(\.count) == [2, 2])
    }

    @Test(arguments: refused.values.sorted())
    func unsupportedWordsAreRefused(_ text: String) async throws {
        await #expect(throws: ObjectPredicateError.self) { try await names(text) }
    }

    @Test func theErrorIsTheOneThatIsPrinted() throws {
        let error = #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(parsing: "salary >") }
        #expect(article.contains(try #require(error).description))
    }
}
