import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Transformable attributes through typed keys, and the hook for one attribute.
struct TransformableTests {
    struct Address: Codable, Equatable { var street: String; var number: Int }

    struct Reversed: AttributeTransforming {
        struct Empty: Error {}
        func bytes(of value: String) throws -> [UInt8] {
            guard !value.isEmpty else { throw Empty() }
            return value.utf8.reversed()
        }
        func value(of bytes: [UInt8]) throws -> String { String(decoding: bytes.reversed(), as: UTF8.self) }
    }

    final class House: ManagedObject {
        override class var entityName: String { "House" }
        static let address = TransformableField<Address>("address")
        static let word = TransformableField("word", transformer: Reversed())
        static let rooms = Field<Int>("rooms")

        struct TooOdd: Error {}

        override func validateValue(_ value: PropertyValue, forKey key: String) throws {
            if key == "rooms", case .integer(let rooms) = value, rooms % 2 == 1 { throw TooOdd() }
        }
    }

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        (folder, container) = try await PersistentContainer.open(
            entities: """
                House:
                  attributes: {address: Transformable?, word: Transformable?, rooms: {type: Integer 64, max: 10}}
                """,
            classes: [House.self]
        )
    }

    @Test func valuesComeBackAsTheyWere() async throws {
        try await container.performBackgroundTask { context in
            let house = try context.insert(House.self)
            house[House.rooms] = 4
            #expect(house[House.address] == nil)
            house[House.address] = Address(street: "High Street", number: 7)
            house[House.word] = "abc"
            #expect(try house.value(forKey: "word") == .binary(Array("cba".utf8)))
            #expect(throws: Reversed.Empty.self) { try house.setTransformed("", for: House.word) }
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(House.self).first)
            #expect(read[House.address] == Address(street: "High Street", number: 7))
            #expect(read[House.word] == "abc")
            try read.setValue(.binary([1]), forKey: "address")
            #expect(read[House.address] == nil)
            #expect(throws: (any Error).self) { try read.transformed(House.address) }
        }
    }

    @Test func failuresTellValueAndLimit() async throws {
        try await container.performBackgroundTask { context in
            let (odd, big) = (try context.insert(House.self), try context.insert(House.self))
            odd[House.rooms] = 3
            big[House.rooms] = 12
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.rule) == [.hook, .tooLarge])
            #expect(error.failures.map(\.value) == [.integer(3), .integer(12)])
            #expect(error.failures.map(\.limit) == [.null, .integer(10)])
            #expect(error.failures.map(\.property) == ["rooms", "rooms"])
            #expect(error.failures.allSatisfy { $0.entity == "House" })
        }
    }
}
