import Testing
import TributaryChanges
import TributaryModel

/// `%K` in paths, and the number formats of `printf`.
@Suite struct PredicatePlaceholderTests {
    private func same(_ text: String, _ arguments: [PredicateArgument], _ plain: String) throws -> Bool {
        try ObjectPredicate(parsing: text, arguments: arguments) == ObjectPredicate(parsing: plain)
    }

    @Test(
        arguments: [
            ("%K.@count > 2", ["projects"], "projects.@count > 2"),
            ("boss.%K == 'Ann'", ["name"], "boss.name == 'Ann'"),
            ("boss.%K.title == 'x'", ["department"], "boss.department.title == 'x'"),
            ("ANY %K.name == 'x'", ["reports"], "ANY reports.name == 'x'"),
            ("ALL %K.%K > 1", ["projects", "hours"], "ALL projects.hours > 1"),
            ("%K.%K == 1", ["boss.department", "lead.level"], "boss.department.lead.level == 1"),
            ("projects.@sum.%K > 1", ["hours"], "projects.@sum.hours > 1"),
            (
                "SUBQUERY(%K, $p, $p.%K > 1).@count > 0", ["projects", "hours"],
                "SUBQUERY(projects, $p, $p.hours > 1).@count > 0"
            ),
            ("SELF.%K == 1", ["level"], "level == 1"), ("%K == 1", ["level"], "level == 1"),
            ("%K + 1 > 2", ["level"], "level + 1 > 2"), ("abs(%K) > 2", ["level"], "abs(level) > 2"),
            ("%K.length == 3", ["name"], "name.length == 3"),
        ] as [(String, [String], String)]
    )
    func keyPathsStandAnywhereInAPath(text: String, paths: [String], plain: String) throws {
        #expect(try same(text, paths.map { .string($0) }, plain))
    }

    @Test func numbersTakeTheFormsOfPrintf() throws {
        for form in [
            "d", "D", "i", "u", "ld", "lld", "hd", "hhd", "hu", "qd", "zd", "5d", "05d", "-3d", "+d", "x", "lu", "tu",
        ] {
            #expect(try same("a == %\(form) AND b == 1", [7], "a == 7 AND b == 1"), "%\(form)")
            #expect(try same("a == %\(form)", [true], "a == 1"), "%\(form)")
            #expect(try same("a == %\(form)", [false], "a == 0"), "%\(form)")
        }
        for form in ["f", "lf", "g", "e", ".1f", "5.2f", ".f", "Lf", "G", "-8.3e"] {
            #expect(try same("a > %\(form)", [1.25], "a > 1.25"), "%\(form)")
            #expect(try same("a > %\(form)", [2], "a > 2.0"), "%\(form)")
        }
    }

    @Test(arguments: [
        ("a == %d", [PredicateArgument.string("1")]), ("a == %d", [1.5]), ("a == %.1f", [.string("1.5")]),
        ("a == %f", [true]), ("a == %h", [1]), ("a == %.", [1]), ("a == %s", [.string("x")]), ("boss.%K == 1", []),
        ("boss.%K == 1", [1]), ("%K.@count == 1", [.string("a..b")]), ("boss.%@ == 1", [.string("name")]),
        ("a == %5K", [.string("b")]), ("boss.%d == 1", [1]),
    ])
    func othersAreRefused(text: String, arguments: [PredicateArgument]) {
        #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(parsing: text, arguments: arguments) }
    }
}
