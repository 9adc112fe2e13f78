import Foundation
import Testing
import TributaryChanges
import TributaryModel

@Suite("Predicates: text to tree")
struct PredicateParsingTests {
    private typealias Comparison = ObjectPredicate.Comparison

    private func comparison(_ text: String) throws -> ObjectPredicate.Comparison? {
        guard case .comparison(let comparison) = try ObjectPredicate(parsing: text).form else { return nil }
        return comparison
    }

    @Test(arguments: [
        ("a = 1", ObjectPredicate.Operator.equal), ("a == 1", .equal), ("a != 1", .notEqual), ("a <> 1", .notEqual),
        ("a < 1", .less), ("a <= 1", .lessOrEqual), ("a =< 1", .lessOrEqual), ("a > 1", .greater),
        ("a >= 1", .greaterOrEqual), ("a => 1", .greaterOrEqual), ("a IN {1}", .isIn), ("a between {1,2}", .between),
        ("a beginswith 1", .beginsWith), ("a EndsWith 1", .endsWith), ("a CONTAINS 1", .contains), ("a LIKE 1", .like),
        ("a MATCHES 1", .matches),
    ])
    func operators(text: String, expected: ObjectPredicate.Operator) throws {
        let found = try #require(try comparison(text))
        #expect(found.operation == expected)
        #expect(found.left == .keyPath(["a"]))
    }

    @Test(arguments: [
        ("1", PropertyValue.integer(1)), ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)), ("1.5", .double(1.5)), ("-2e3", .double(-2000)),
        ("1e+20", .double(1e20)),
        ("TRUE", .boolean(true)), ("no", .boolean(false)), ("Yes", .boolean(true)), ("nil", .null), ("NULL", .null),
        ("'it\\'s'", .string("it's")), ("\"it's\"", .string("it's")), ("'\\u00e9\\n\\\\'", .string("é\n\\")),
        ("'\\uD83D\\uDE00'", .string("😀")), ("''", .string("")), ("'Größe 😀'", .string("Größe 😀")),
    ])
    func literals(text: String, expected: PropertyValue) throws {
        #expect(try comparison("a == \(text)")?.right == .constant(expected))
    }

    @Test func andBindsTighterThanOrAndNotTighterThanAnd() throws {
        let names = ["a", "b", "c", "d"].map { name in
            ObjectPredicate.comparison(Comparison(.keyPath([name]), .equal, .constant(.integer(1))))
        }
        let text = "a==1 OR NOT b==1 && c==1 || (d==1 AND !(a==1 or b==1))"
        let expected = ObjectPredicate.or([
            names[0], .and([.not(names[1]), names[2]]), .and([names[3], .not(.or([names[0], names[1]]))]),
        ])
        #expect(try ObjectPredicate(parsing: text) == expected)
    }

    @Test func pathsQuantifiersAndOptions() throws {
        let found = try #require(try comparison("SOME SELF.projects.#like.@count >[cd] 'x'"))
        #expect(found.left == .keyPath(["projects", "like", "@count"]))
        #expect(found.quantifier == .any)
        #expect(found.isCaseInsensitive && found.isDiacriticInsensitive)
        #expect(try comparison("SELF == 'x'")?.left == .keyPath([]))
        #expect(try comparison("ALL größe == 1")?.left == .keyPath(["größe"]))
        #expect(try comparison("NONE a.b ==[c] 1")?.quantifier == ObjectPredicate.Quantifier.none)
        #expect(try comparison("order == 1")?.left == .keyPath(["order"]))
    }

    @Test func argumentsAndVariables() throws {
        let day = Date(timeIntervalSince1970: 86_400)
        let id = ManagedObjectID(
            store: "s",
            entity: "E",
            rootEntity: "E",
            uniqueID: UniqueID(high: 1, low: 2)
        )
        let predicate = try ObjectPredicate(
            parsing: "%K == %@ AND b > %d AND c < %f AND d IN %@ AND e == $X AND f == $Y AND g == %@ AND h == %@",
            arguments: ["a.b", nil, 3, 2, .list([.integer(1), .string("x")]), .date(day), .object(id)],
            variables: ["X": true]
        )
        let expected =
            "a.b == NULL AND b > 3 AND c < 2.0 AND d IN {1, 'x'} AND e == TRUE AND f == $Y "
            + "AND g == 86400.0 AND h == '00000000-0000-0001-0000-000000000002'"
        #expect(predicate.description == expected)
        #expect(predicate.substituting(["Y": "y"]).description == expected.replacing("$Y", with: "'y'"))
    }

    @Test(arguments: [
        "", "  ", "a", "a ==", "== 1", "a == 1 b", "a == 1 AND", "(a == 1", "a == 1)", "NOT", "a = = 1", "a == 'x",
        "a == 'x\\q'", "a == 12x", "a == 99999999999999999999", "a == 1e999", "a IN {1, {2}}", "a IN {1 2}",
        "a IN {1,", "a BETWEEN {1}", "a.b. == 1", "a..b == 1", ".a == 1", "a == 1 &", "a ~ 1", "a ==[x] 1", "a ==[c 1",
        "a ==[] 1", "a == %", "a == %@", "%K == 1", "a == $", "a == #", "AND == 1", "like == 1", "a.@median > 1",
        "a == nope:(b)", "a == abs:(b, c)", "a == CAST(b, 'x')",
        "SUBQUERY(a, $x).@count > 0", "SUBQUERY(1, $x, $x > 1).@count > 0", "(a + 1", "a == 0xG", "a == \\u12",
        "a == '\\uD800'", "a == \u{0}", "ANY ALL a == 1",
        "a @count",
        "TRUEPREDICATE == 1", "a == 1; DROP TABLE Employee",
    ])
    func refusedWithAPlace(text: String) throws {
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try ObjectPredicate(parsing: text)
        }
        let position = try #require(error?.position)
        #expect((0...text.count).contains(position))
        let excerpt = try #require(error?.excerpt)
        let lines = excerpt.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines[1].hasSuffix("^"))
        #expect(error?.description.contains("at character \(position + 1)") == true)
    }

    @Test func theCaretPointsToTheCharacter() throws {
        let text = "name == 'Ænne' AND saláry ≥ 5"
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try ObjectPredicate(parsing: text)
        }
        #expect(error?.position == 26)
        #expect(error?.excerpt == "  name == 'Ænne' AND saláry ≥ 5\n" + String(repeating: " ", count: 28) + "^")
    }

    @Test func limits() throws {
        let deep = String(repeating: "(", count: 63) + "a == 1" + String(repeating: ")", count: 63)
        #expect(throws: Never.self) { () throws -> Void in _ = try ObjectPredicate(parsing: deep) }
        let tooDeep = "(\(deep))"
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try ObjectPredicate(parsing: tooDeep)
        }
        #expect(error?.position == 64)
        #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try ObjectPredicate(parsing: String(repeating: "!", count: 10_000) + "a == 1")
        }
        let long = "a == '" + String(repeating: "x", count: 16 * 1024 - 7) + "'"
        #expect(throws: Never.self) { () throws -> Void in _ = try ObjectPredicate(parsing: long) }
        #expect(throws: ObjectPredicateError.self) { () throws -> Void in _ = try ObjectPredicate(parsing: long + " ") }
        #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try ObjectPredicate(parsing: "a == 1", arguments: [1])
        }
    }

    @Test func sortKeys() throws {
        #expect(
            try SortKey.parse("name, -salary,+department.name")
                == [SortKey("name"), SortKey("salary", ascending: false), SortKey("department.name")]
        )
        #expect(try SortKey.parse("name,-salary").map(\.description) == ["name", "-salary"])
        for text in ["", "name,", "-", "a b"] {
            #expect(throws: ObjectPredicateError.self) { () throws -> Void in _ = try SortKey.parse(text) }
        }
    }
}
