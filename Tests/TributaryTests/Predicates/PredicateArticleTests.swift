import Foundation
import TestSupport
import Testing
import TributaryModel

@testable import Tributary

/// What the article on predicates prints parses and runs, in the store and in memory alike.
@Suite struct PredicateArticleTests {
    private static let model = """
        version: "1"
        entities:
          Employee:
            attributes: {name: String, salary: Double?, visits: Integer 64?, born: Date?, like: String?}
            relationships:
              department: {to: Department?, inverse: employees}
              boss: {to: Employee?, inverse: reports}
              reports: {to: Employee, many: true, inverse: boss}
              projects: {to: Project, many: true, inverse: members}
          Department:
            attributes: {title: String}
            relationships: {employees: {to: Employee, many: true, inverse: department}}
          Project:
            attributes: {title: String, hours: Double?}
            relationships: {members: {to: Employee, many: true, inverse: projects}}
        """

    private let article: String
    private let container: PersistentContainer

    init() async throws {
        let path = PackageFolder.path("Sources/TributaryModel/TributaryModel.docc/Predicates.md")
        article = try String(contentsOfFile: path, encoding: .utf8)
        container = try await PersistentContainer(name: "article", model: try Model(yaml: Self.model), store: .memory)
        try await container.performBackgroundTask { context in
            let sales = try context.insert(entity: "Department")
            try sales.setValue(.string("Sales"), forKey: "title")
            let till = try context.insert(entity: "Project")
            try till.setValue(.string("Till"), forKey: "title")
            try till.setValue(.double(6), forKey: "hours")
            for (name, salary, born) in [("Ann", 2000.0, -1e9), ("Bob", 500, 6.7e8), ("Andrea", 1800, 0)] {
                let employee = try context.insert(entity: "Employee")
                try employee.setValue(.string(name), forKey: "name")
                try employee.setValue(.double(salary), forKey: "salary")
                try employee.setValue(.integer(Int64(salary)), forKey: "visits")
                try employee.setValue(.date(DateValue(unixSeconds: born)), forKey: "born")
                guard name != "Bob" else { continue }
                try sales.link(employee, forKey: "employees")
                try till.link(employee, forKey: "members")
            }
            try context.save()
        }
    }

    /// The blocks without a language that say predicates.
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
        let predicate = try ObjectPredicate(parsing: text, arguments: arguments)
        return try await container.performBackgroundTask { context in
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

    @Test(arguments: [
        "#like == 'x'", "department.title == 'Sales'", "SELF != NULL", "NOT salary == 0", "salary != 0",
        "name.length > 1",
        "SOME projects.title == 'Till'", "NONE projects.title == 'Till'", "projects == nil", "projects != nil",
        "TRUEPREDICATE && !FALSEPREDICATE", "salary < 1e9 || salary > -2.5", "name == \"A\\u00e9\\n\"",
        "abs:(salary) > 0 AND ceiling:(salary) > 0 AND floor:(salary) > 0 AND trunc:(salary) > 0",
        "sqrt:(salary) > 1 AND lowercase:(name) != '' AND canonical:(name) != ''",
        "CAST(salary, 'NSDecimalNumber') > 1 AND CAST(salary, 'NSString') != '' AND CAST(visits, 'NSDate') != NULL",
        "projects.@min.hours > 1 OR projects.@max.hours > 1", "born == '2026-11-21T10:30:00Z'",
    ])
    func whatItMentionsRuns(_ text: String) async throws {
        let found = try await names(text)
        #expect(found[0] == found[1] || text.contains("#like"), "\(text)")
    }

    @Test func thePlaceholdersRun() async throws {
        for text in ["%K.@count == 1", "boss.%K == NULL", "ANY %K.title == 'Till'"] {
            let path = text.hasPrefix("boss") ? "name" : "projects"
            let found = try await names(text, [.value(.string(path))])
            #expect(found[0] == found[1] && !found[0].isEmpty, "\(text)")
        }
        for text in ["visits == %d", "visits == %hd", "visits == %lld", "salary == %f", "salary == %.1f"] {
            #expect(try await names(text, [.value(.integer(500))]).map(\.count) == [1, 1], "\(text)")
        }
        let inner = "SUBQUERY(projects, $p, $p.%K == 'Till').@count == 1"
        #expect(try await names(inner, [.value(.string("title"))]).map(\.count) == [2, 2])
    }

    @Test(arguments: [
        "FUNCTION(name, 'uppercase') == 'A'", "TERNARY(salary > 1, 1, 2) == 1", "projects UNION projects == 1",
        "projects.@distinctUnionOfObjects.hours == 1",
    ])
    func whatIsNotThereIsRefused(_ text: String) async throws {
        await #expect(throws: ObjectPredicateError.self) { try await names(text) }
    }

    @Test func theErrorIsTheOneThatIsPrinted() throws {
        let error = #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(parsing: "salary >") }
        #expect(article.contains(try #require(error).description))
    }
}
