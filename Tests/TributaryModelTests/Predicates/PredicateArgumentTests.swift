import Foundation
import Testing
import TributaryChanges
import TributaryModel

/// Swift values as the arguments of a predicate's text.
struct PredicateArgumentTests {
    @Test func numbersOfEveryKindAreArguments() {
        let integers: [PredicateArgument] = [
            .init(7 as Int), .init(7 as Int8), .init(7 as Int16), .init(7 as Int32), .init(7 as Int64),
            .init(7 as Int128), .init(7 as UInt), .init(7 as UInt8), .init(7 as UInt16), .init(7 as UInt32),
            .init(7 as UInt64), .init(7 as UInt128), .integer(7 as UInt8), 7,
        ]
        #expect(integers.allSatisfy { $0 == .value(.integer(7)) })
        let doubles: [PredicateArgument] = [
            .init(1.5 as Double), .init(1.5 as Float), .init(1.5 as Float16), .init(1.5 as CGFloat),
            .double(1.5 as Float), 1.5,
        ]
        #expect(doubles.allSatisfy { $0 == .value(.double(1.5)) })
        #expect(PredicateArgument(UInt64.max) == .value(.decimal("18446744073709551615")))
        #expect(PredicateArgument.integer(Int128.min) == .value(.decimal(String(Int128.min))))
        #expect(PredicateArgument(Decimal(string: "0.10")) == .value(.decimal("0.1")))
    }

    @Test func otherValuesAreArguments() throws {
        let (uuid, date) = (UUID(), Date(timeIntervalSince1970: 5))
        #expect(PredicateArgument(true) == .value(.boolean(true)))
        #expect(PredicateArgument("text") == .string("text"))
        #expect(PredicateArgument("text".prefix(2)) == .string("te"))
        #expect(PredicateArgument(uuid) == .uuid(uuid))
        #expect(PredicateArgument(UniqueID(uuid)) == .uuid(uuid))
        #expect(PredicateArgument(date) == .date(date))
        #expect(PredicateArgument(Data([1, 2])) == .value(.binary([1, 2])))
        #expect(PredicateArgument(try #require(URL(string: "a:b"))) == .value(.uri("a:b")))
        let id = ManagedObjectID(store: "s", entity: "E", rootEntity: "E", uniqueID: UniqueID(uuid))
        #expect(PredicateArgument(id) == .object(id))
        #expect(PredicateArgument([id]) == .list([.reference(id.uniqueID)]))
        #expect(PredicateArgument(nil as Int?) == nil)
        #expect(PredicateArgument(3 as Int?) == 3)
    }

    @Test func listsAreArguments() {
        #expect(PredicateArgument(["a", "b"]) == .list([.string("a"), .string("b")]))
        #expect(PredicateArgument(Set([1])) == .list([.integer(1)]))
        #expect(PredicateArgument([1, nil, 3]) == .list([.integer(1), .null, .integer(3)]))
        #expect(PredicateArgument([[1, 2], [3]]) == .list([.integer(1), .integer(2), .integer(3)]))
        let mixed: PredicateArgument = ["a", 1, 2.5, true, nil]
        #expect(mixed == .list([.string("a"), .integer(1), .double(2.5), .boolean(true), .null]))
    }

    @Test func valuesStandBehindTheTextAsTheyAre() throws {
        let (names, least): ([String], Int16) = (["Ann", "Bob"], 3)
        let predicate = try ObjectPredicate(parsing: "%K IN %@ AND age >= %d", "name", names, least)
        #expect(predicate == (try ObjectPredicate(parsing: "name IN {'Ann', 'Bob'} AND age >= 3")))
        #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(parsing: "age >= %d", "x") }
        #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(parsing: "age >= %d", Decimal(string: "1.5")) }
        #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(parsing: "age >= %d AND a == %@", 1) }
        _ = try ObjectPredicate(parsing: "age >= %llu AND size > %f", UInt64.max, Decimal(3))
    }
}
