import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@Suite("Predicates: arithmetic, functions, aggregates, subqueries")
struct PredicateExpressionTests {
    private let model: Model
    private let employee: Entity
    private let ann: SampleObject
    private let idle: SampleObject

    init() throws {
        model = try Model(yaml: PredicateModel.text)
        employee = try #require(model.entity(named: "Employee"))
        let project = try #require(model.entity(named: "Project"))
        let department = try #require(model.entity(named: "Department"))
        let till = SampleObject(project, id: 20, ["title": .string("Till"), "hours": .integer(40)])
        let web = SampleObject(project, id: 21, ["title": .string("Web"), "hours": .integer(3)])
        let bare = SampleObject(project, id: 22)
        let sales = SampleObject(department, id: 30, ["title": .string("Sales")])
        ann = SampleObject(
            employee,
            id: 1,
            [
                "name": .string("Ánn"), "salary": .double(1000), "level": .integer(7), "active": .boolean(true),
                "born": .date(1_000_000_000), "balance": .decimal("10.50"),
            ]
        )
        idle = SampleObject(employee, id: 2, ["name": .string("Bob"), "balance": .decimal("0.25")])
        ann.link("projects", till, web, bare)
        ann.link("department", sales)
        sales.link("employees", ann, idle)
        till.link("members", ann)
    }

    private func evaluate(_ text: String, on object: SampleObject) throws -> Bool {
        let predicate = try ObjectPredicate(parsing: text)
        #expect(try ObjectPredicate(parsing: predicate.description) == predicate, "\(text) as \(predicate)")
        return try predicate.resolvingNow(2_000_000_000_000).bind(to: employee, in: model)
            .evaluate(on: object)
    }

    @Test(arguments: [
        // Arithmetic: priorities, whole numbers, dates, decimals.
        "level + 1 == 8", "level - 1 == 6", "level -1 == 6", "2 + level * 3 == 23", "(2 + level) * 3 == 27",
        "level / 2 == 3", "level / 2.0 == 3.5", "2 ** 3 ** 2 == 512", "-level == 0 - 7", "level * -1 < 0",
        "modulus:by:(level, 4) == 3", "salary + level == 1007", "born + 86400 > born", "born - 86400 < '2001-09-09'",
        "now() - born == 1000000000", "balance * 2 == 21", "balance + balance == '21.0'", "level == 0x7",
        "((level)) == 7", "NOT ((level + 1) == 7)", "level > 1e0", "level BETWEEN {2 + 3, 9}",
        // Overflows and divisions by zero are null.
        "level / 0 == NULL", "level / 0.0 == NULL", "NOT level / 0 > 0", "9223372036854775807 + level == NULL",
        "10 ** 400 * level == NULL",
        // Functions and casts.
        "abs:(0 - level) == 7", "abs(0 - level) == 7", "floor:(salary / 3) == 333", "ceiling:(salary / 3) == 334",
        "trunc:(0 - salary / 3) == -333", "sqrt:(level + 2) == 3", "uppercase:(name) == 'ÁNN'",
        "lowercase(name) == 'ánn'", "canonical:(name) == 'ann'", "length:(name) == 3",
        "CAST(level, 'NSString') == '7'", "CAST('12', 'NSNumber') == 12", "CAST(born, 'NSNumber') == 21692800",
        "CAST(21692800, 'NSDate') == born", "CAST(balance, 'NSNumber') < 11", "CAST(name, 'NSNumber') == NULL",
        // Aggregates, both forms.
        "projects.@count == 3", "projects.@sum.hours == 43", "projects.hours.@sum == 43", "projects.@min.hours == 3",
        "projects.@max.hours == 40", "projects.@avg.hours == 21.5", "projects.@max.title == 'Web'",
        "department.employees.@sum.balance == '10.75'", "projects.@sum.hours * 2 > 85",
        // Subqueries.
        "SUBQUERY(projects, $x, $x.hours > 10).@count == 1", "SUBQUERY(projects, $x, $x.hours > 10).@sum.hours == 40",
        "ANY SUBQUERY(projects, $x, $x.hours > 10).title == 'Till'", "SUBQUERY(projects, $x, $x == NULL).@count == 0",
        "SUBQUERY(projects, $x, SUBQUERY($x.members, $y, $y == SELF).@count == 1).@count == 1",
        "SUBQUERY(projects, $x, $x.hours > level).@count == 1", "SUBQUERY(reports, $x, TRUEPREDICATE).@sum.level == 0",
        // Identity, entities, membership.
        "entity == 'Employee'", "SELF.entity.name == 'Employee'", "objectID == '00000000-0000-0000-0000-000000000001'",
        "'Till' IN projects.title", "projects.title CONTAINS 'Web'", "SELF IN department.employees",
        "name ==[cdn] 'ANN'", "name ==[cdl] 'ann'",
    ])
    func trueOfAnn(text: String) throws {
        #expect(try evaluate(text, on: ann))
    }

    @Test(arguments: [
        "projects.@count == 0", "projects.@sum.hours == 0", "projects.@min.hours == NULL",
        "projects.@avg.hours == NULL",
        "department.employees.@sum.balance == 0", "department.employees.@max.salary == NULL",
        "level + 1 == NULL", "NOT level + 1 > 0", "ALL projects.hours > 5", "NONE projects.hours > 5",
        "NOT (ANY projects.hours > 5)", "SUBQUERY(projects, $x, $x.hours > 1).@count == 0", "abs:(level) == NULL",
    ])
    func nothingOfBob(text: String) throws {
        #expect(try evaluate(text, on: idle))
    }

    @Test(arguments: [
        "level + name == 3", "uppercase:(level) == 'X'", "balance / balance == 1", "projects.@sum.title == 3",
        "name.@sum == 3", "abs:(projects.hours) == 3", "SUBQUERY(department, $x, $x != NULL).@count > 0",
        "SUBQUERY(projects, $x, $y.hours > 1).@count > 0", "born * 2 == 3", "CAST(active, 'NSDate') != NULL",
    ])
    func refused(text: String) throws {
        let predicate = try ObjectPredicate(parsing: text)
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try predicate.bind(to: employee, in: model)
        }
        #expect(error?.keyPath != nil)
    }

    @Test func minusSignsNestAsDeepAsParentheses() throws {
        #expect(try evaluate("level == " + String(repeating: "- ", count: 20) + "7", on: ann) == true)
        for sign in ["-", "("] {
            let text = "level == " + String(repeating: sign, count: 16_000) + "x"
            let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
                _ = try ObjectPredicate(parsing: text)
            }
            #expect(error?.reason == "a predicate may nest 64 deep")
        }
    }

    @Test func castsTakeURIsForTexts() {
        #expect(ObjectPredicate.Function.castToNumber.value(of: [.uri("42")]) == .integer(42))
        #expect(ObjectPredicate.Function.castToDecimal.value(of: [.uri("1.50")]) == .decimal("1.5"))
        #expect(ObjectPredicate.Function.castToString.value(of: [.uri("a:b")]) == .string("a:b"))
    }

    @Test func aLongSumIsRefusedBeforeItIsTooDeep() {
        let text = "level == 1" + String(repeating: " + 1", count: 5_000)
        #expect(throws: ObjectPredicateError.self) { () throws -> Void in _ = try ObjectPredicate(parsing: text) }
    }
}
