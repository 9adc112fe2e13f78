import Foundation
import TestSupport
import Testing
import Tributary
import TributaryStore

/// A save checks each value against the model's rules for its attribute.
struct AttributeRuleTests {
    struct Bound: Sendable, CustomTestStringConvertible {
        var name: String
        var type: AttributeType
        var minimum: PropertyValue
        var maximum: PropertyValue
        var fitting: [PropertyValue]
        var tooSmall: PropertyValue
        var tooLarge: PropertyValue
        var testDescription: String { name }
    }

    static let bounds: [Bound] = [
        Bound(
            name: "whole",
            type: .integer64,
            minimum: .integer(-2),
            maximum: .integer(9_007_199_254_740_993),
            fitting: [.integer(-2), .integer(9_007_199_254_740_993)],
            tooSmall: .integer(-3),
            tooLarge: .integer(9_007_199_254_740_994)
        ),
        Bound(
            name: "real",
            type: .double,
            minimum: .double(-0.5),
            maximum: .double(0.5),
            fitting: [.double(-0.5), .double(0.5), .double(0)],
            tooSmall: .double(-0.500_1),
            tooLarge: .double(0.500_1)
        ),
        Bound(
            name: "exact",
            type: .decimal,
            minimum: .decimal("0.01"),
            maximum: .decimal("99999999999999999999.99"),
            fitting: [.decimal("0.01"), .decimal("99999999999999999999.99")],
            tooSmall: .decimal("0.009"),
            tooLarge: .decimal("100000000000000000000")
        ),
        Bound(
            name: "day",
            type: .date,
            minimum: .date(0),
            maximum: .date(86_400),
            fitting: [.date(0), .date(86_400)],
            tooSmall: .date(-0.5),
            tooLarge: .date(86_400.5)
        ),
        Bound(
            name: "text",
            type: .string,
            minimum: .integer(2),
            maximum: .integer(3),
            fitting: [.string("éé"), .string("🚲🚲🚲")],
            tooSmall: .string("a"),
            tooLarge: .string("abcd")
        ),
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("rules") }

    private func open(_ attributes: [Attribute]) async throws -> PersistentContainer {
        var thing = EntityDefinition(name: "Thing")
        thing.attributes = attributes
        return try await PersistentContainer.open(folder, model: Model(version: "1", entities: [thing]))
    }

    @Test(arguments: bounds) func boundsAreInclusive(_ bound: Bound) async throws {
        var attribute = Attribute(name: bound.name, type: bound.type)
        (attribute.minimum, attribute.maximum) = (bound.minimum, bound.maximum)
        let container = try await open([attribute])
        try await container.performBackgroundTask { context in
            let thing = try context.insert(entity: "Thing")
            for value in bound.fitting {
                try thing.setValue(value, forKey: bound.name)
                try context.save()
            }
            for (value, rule, limit) in [
                (bound.tooSmall, ValidationFailure.Rule.tooSmall, bound.minimum),
                (bound.tooLarge, .tooLarge, bound.maximum),
            ] {
                try thing.setValue(value, forKey: bound.name)
                let error = try #require(throws: ValidationError.self) { try context.save() }
                #expect(error.failures.map(\.rule) == [rule])
                #expect(error.failures.map(\.value) == [value])
                #expect(error.failures.map(\.limit) == [limit])
                #expect(error.failures.map(\.objectID) == [thing.objectID])
            }
            context.rollback()
            #expect(try thing.value(forKey: bound.name) == bound.fitting.last)
        }
    }

    @Test func aPatternHoldsForTheWholeText() async throws {
        var code = Attribute(name: "code", type: .string)
        code.isOptional = true
        code.regularExpression = "[A-Z]+|x"
        let container = try await open([code])
        try await container.save { context in
            let thing = try context.insert(entity: "Thing")
            for (text, fits) in [("ABC", true), ("x", true), ("ABx", false), ("ABC\n", false), ("", false)] {
                try thing.setValue(.string(text), forKey: "code")
                guard !fits else {
                    try context.save()
                    continue
                }
                let error = try #require(throws: ValidationError.self) { try context.save() }
                #expect(error.failures.map(\.rule) == [.pattern])
                #expect(error.failures.first?.limit == .string("[A-Z]+|x"))
            }
            try thing.setValue(.null, forKey: "code")
        }
    }

    /// Without the limit of steps this save would take longer than anybody waits.
    @Test func aPatternWithTooManyStepsDoesNotMatch() async throws {
        var code = Attribute(name: "code", type: .string)
        code.isOptional = true
        code.regularExpression = "(a|aa)+b"
        let container = try await open([code])
        try await container.save { context in
            let thing = try context.insert("Thing", ["code": .string(String(repeating: "a", count: 200))])
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.rule) == [.pattern])
            try thing.setValue(.string("aaab"), forKey: "code")
        }
    }

    @Test func mandatoryAttributesReadAsZeroAndAreMissed() async throws {
        let container = try await open(
            AttributeType.allCases.filter { $0 != .undefined && $0 != .composite }.map {
                Attribute(name: $0.rawValue.lowercased().filter { $0 != " " }, type: $0)
            }
        )
        try await container.performBackgroundTask { context in
            let thing = try context.insert(entity: "Thing")
            #expect(thing[Field<String>("string")].isEmpty)
            #expect(thing[Field<Int16>("integer16")] == 0)
            #expect(thing[Field<Bool>("boolean")] == false)
            #expect(thing[Field<Date>("date")] == Date(timeIntervalSince1970: 0))
            #expect(thing[Field<Decimal>("decimal")] == 0)
            #expect(thing[Field<Data>("binary")].isEmpty)
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.count == 13 && error.failures.allSatisfy { $0.rule == .missing })
            #expect(context.insertedObjects == [thing], "nothing is lost by the failure")
        }
    }

    @Test func defaultsAreThereFromTheStart() async throws {
        var (count, name) = (Attribute(name: "count", type: .integer32), Attribute(name: "name", type: .string))
        count.defaultValue = .integer(7)
        name.defaultValue = .string("new")
        name.isOptional = true
        let container = try await open([count, name])
        try await container.performBackgroundTask { context in
            let thing = try context.insert(entity: "Thing")
            #expect(try thing.value(forKey: "count") == .integer(7))
            #expect(thing.changedValues().isEmpty, "defaults are no changes")
            try thing.setValue(.null, forKey: "name")
            try context.save()
            context.reset()
            let request = try FetchRequest("Thing", where: "count == 7 AND name == NULL")
            #expect(try context.count(for: request) == 1, "a default that was taken away stays away")
        }
    }
}
