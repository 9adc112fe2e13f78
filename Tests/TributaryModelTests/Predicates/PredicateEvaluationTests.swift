import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@Suite("Predicates: binding and answers in memory")
struct PredicateEvaluationTests {
    private let model: Model
    private let ann: SampleObject
    private let bob: SampleObject
    private let employee: Entity

    init() throws {
        model = try Model(yaml: PredicateModel.text)
        employee = try #require(model.entity(named: "Employee"))
        let sales = SampleObject(try #require(model.entity(named: "Department")), id: 10, ["title": .string("Sales")])
        let project = try #require(model.entity(named: "Project"))
        let till = SampleObject(project, id: 20, ["title": .string("Till"), "hours": .integer(40)])
        let web = SampleObject(project, id: 21, ["title": .string("Web")])
        ann = SampleObject(
            employee,
            id: 1,
            [
                "name": .string("Ann Óg"), "salary": .double(1000), "level": .integer(3), "active": .boolean(true),
                "born": .date(1_000_000_000), "code": .uuid(UniqueID(high: 0, low: 7)), "balance": .decimal("10.5"),
                "like": .string("a*b"), "site": .uri("https://example.org"),
            ]
        )
        bob = SampleObject(employee, id: 2, ["name": .string("bob"), "photo": .binary([1])])
        ann.link("department", sales)
        ann.link("projects", till, web)
        ann.link("reports", bob)
        bob.link("boss", ann)
        sales.link("employees", ann)
    }

    private func evaluate(_ text: String, on object: SampleObject) throws -> Bool {
        try ObjectPredicate(parsing: text).bind(to: employee, in: model).evaluate(on: object)
    }

    @Test(arguments: [
        // Numbers, dates, decimals, booleans, UUIDs.
        "salary == 1000", "salary > 999.5 AND 1000 <= salary", "level BETWEEN {1, 3}", "level IN {1, 3.0}",
        "level < 3.5",
        "active == YES", "active != 0", "born == 1000000000", "born > '2001-09-09'", "born == '2001-09-09T01:46:40Z'",
        "balance == 10.5", "balance > '9.99'", "balance < 100", "code == '00000000-0000-0000-0000-000000000007'",
        // Strings.
        "name BEGINSWITH 'Ann'", "name ENDSWITH[d] 'Og'", "name CONTAINS[cd] 'N o'", "name LIKE 'A?n*'",
        "name LIKE[c] 'ann*'", "name MATCHES '[A-Z]\\\\w+ .*'", "name ==[cd] 'ANN OG'", "name < 'Anna'",
        "name IN[c] {'x', 'ANN ÓG'}", "#like LIKE 'a\\\\*b'", "NOT #like LIKE 'a\\\\?b'", "'Ann Óg jr' BEGINSWITH name",
        "'Óg' IN name", "site BEGINSWITH 'https:'", "name != site",
        // Paths, objects, counts.
        "department.title == 'Sales'", "department == '00000000-0000-0000-0000-00000000000a'",
        "SELF == '00000000-0000-0000-0000-000000000001'", "SELF IN {'00000000-0000-0000-0000-000000000001'}",
        "projects.@count == 2", "department.employees.@count > 0", "department.lead == NULL",
        // Quantifiers.
        "ANY projects.title == 'Till'", "ALL projects.title LIKE '???*'", "NONE projects.title == 'Shop'",
        "NOT ALL projects.hours > 1", "ANY projects.hours == NULL", "ANY reports.name ==[c] 'BOB'",
        "'00000000-0000-0000-0000-000000000015' IN projects",
        "projects CONTAINS '00000000-0000-0000-0000-000000000014'",
        "ANY department.employees.name BEGINSWITH 'Ann'", "ANY reports.projects.@count == 0",
        // Lengths, and relationships with and without a destination.
        "name.length == 6", "ANY projects.title.length == 4", "department.title.length < 6", "site.length > 10",
        "projects != nil", "NULL != projects", "reports.projects == nil", "department.employees != NULL",
        // No properties.
        "TRUEPREDICATE", "1 == 1.0", "'a' LIKE[c] 'A'", "true == true", "2 IN {1, 2}", "NULL == NULL", "1 != NULL",
    ])
    func trueOfAnn(text: String) throws {
        #expect(try evaluate(text, on: ann))
        #expect(try !evaluate("NOT (\(text))", on: ann))
    }

    /// Bob has a name and a photo; all his other properties are null.
    @Test(arguments: [
        ("salary == NULL", true), ("salary != NULL", false), ("name != NULL", true), ("photo != nil", true),
        ("salary == 0", false), ("salary != 0", false), ("NOT salary != 0", true), ("salary IN {0, NULL}", false),
        ("salary BETWEEN {-1, 1}", false), ("#like LIKE '*'", false), ("active == FALSE", false),
        ("department.title == NULL", true), ("department.title != 'x'", false), ("department == NULL", true),
        ("ANY projects.title == NULL", false), ("ALL projects.title == 'x'", true), ("projects.@count == 0", true),
        ("department.employees.@count == 0", true), ("ANY department.employees.name == NULL", false),
        ("name == #like", false), ("name != #like", false), ("boss.department.title == 'Sales'", true),
        ("level == salary", false),
    ])
    func nothing(text: String, expected: Bool) throws {
        #expect(try evaluate(text, on: bob) == expected)
    }

    @Test(arguments: [
        ("nme == 'x'", "nme"), ("Name == 'x'", "Name"), ("salary.length == 1", "salary.length"),
        ("salary == 'x'", "salary"),
        ("name == 1", "name"), ("photo == 'AA=='", "photo"), ("active > 0", "active"), ("active == 2", "active"),
        ("projects == 1", "projects"), ("projects.title == 'x'", "projects.title"), ("ANY name == 'x'", "name"),
        ("department == 'x'", "department"), ("department < '1'", "department"), ("salary LIKE '1*'", "salary"),
        ("salary ==[c] 1", "salary"), ("salary < NULL", "salary"), ("name IN 'x'", "name"), ("name == {'x'}", "name"),
        ("name MATCHES #like", "like"), ("salary == name", "name"), ("department.@count == 0", "department.@count"),
        ("note == 'x'", "note"), ("born == 'yesterday'", "born"), ("1 == 'x'", "1"), ("salary == $X", "$X"),
        ("code == 'x'", "code"), ("balance == 'x'", "balance"),
    ])
    func refused(text: String, keyPath: String) throws {
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in _ = try evaluate(text, on: ann) }
        #expect(error?.keyPath == keyPath)
    }

    @Test func refusalsFindTheirPlaceInTheText() throws {
        let text = "name == 'nme' AND nme_x == 1 AND nme == 2"
        let predicate = try ObjectPredicate(parsing: text.replacing("nme_x", with: "level"))
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try predicate.bind(to: employee, in: model)
        }
        #expect(error?.located(in: text).position == 33)
        let person = try #require(model.entity(named: "Person"))
        let hint = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try ObjectPredicate(parsing: "salary > 1").bind(to: person, in: model)
        }
        #expect(hint?.reason.contains("sub-entity 'Employee'") == true)
        let pattern = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try evaluate("name MATCHES '('", on: ann)
        }
        #expect(pattern?.reason.contains("regular expression") == true)
    }

    /// A shell takes the quotes away.
    @Test func aTextWithoutQuotesIsRecognized() {
        func reason(_ text: String) -> String? {
            let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
                _ = try evaluate(text, on: ann)
            }
            return error?.reason
        }
        #expect(reason("name = Ann")?.hasSuffix("has no property 'Ann'; a text needs quotes: 'Ann'") == true)
        #expect(reason("nickname = 'Ann'")?.contains("quotes") == false)
    }

    @Test func sortingPutsNothingFirst() throws {
        func order(_ key: String) throws -> Int {
            let keys = try SortKey.parse(key)
            return try #require(try keys.first?.bind(to: employee, in: model)).order(ann, bob)
        }
        #expect(try order("salary") > 0)
        #expect(try order("-salary") < 0)
        #expect(try order("name") < 0)
        #expect(try order("department.title") > 0)
        for key in ["projects.title", "photo", "none", "note"] {
            #expect(throws: ObjectPredicateError.self) { () throws -> Void in _ = try order(key) }
        }
    }
}
