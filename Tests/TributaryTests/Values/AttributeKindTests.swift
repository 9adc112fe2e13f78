import Foundation
import TestSupport
import Testing
import Tributary
import TributaryStore

/// Every type of attribute, from the setter to another machine and back.
struct AttributeKindTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var value: PropertyValue
        var condition: String
        var testDescription: String { name }
    }

    static let kinds: [Kind] = [
        Kind(name: "title", value: .string("Zürich 🚲"), condition: "title == 'Zürich 🚲'"),
        Kind(name: "small", value: .integer(-32_768), condition: "small == -32768"),
        Kind(name: "medium", value: .integer(2_147_483_647), condition: "medium > 2147483646"),
        Kind(name: "large", value: .integer(.max), condition: "large == 9223372036854775807"),
        Kind(name: "shown", value: .boolean(true), condition: "shown == TRUE"),
        Kind(name: "seen", value: .date(1_700_000_000.25), condition: "seen BETWEEN {1700000000, 1700000001}"),
        Kind(name: "raw", value: .binary([0, 255, 7]), condition: "raw != NULL"),
        Kind(name: "photo", value: .binary([1, 2]), condition: "photo != NULL"),
        Kind(name: "shape", value: .binary([5]), condition: "shape != NULL"),
        Kind(name: "ratio", value: .double(-0.1), condition: "ratio == -0.1"),
        Kind(name: "share", value: .double(Double(Float(0.1))), condition: "share > 0.09 AND share < 0.11"),
        Kind(
            name: "price",
            value: .decimal("12345678901234567890.12"),
            condition: "price == '12345678901234567890.12'"
        ),
        Kind(
            name: "code",
            value: .uuid(UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0001)),
            condition: "code == '0190f1a2-0000-7000-8000-000000000001'"
        ),
        Kind(name: "home", value: .uri("https://example.org/a?b=%20"), condition: "home ENDSWITH 'b=%20'"),
        Kind(
            name: "address",
            value: .composite(#"{"geo":{"latitude":1.5,"longitude":2.0},"number":7,"street":"High Street"}"#),
            condition: "address.street == 'High Street' AND address.geo.latitude == 1.5"
        ),
    ]

    @Test(arguments: kinds)
    func valuesGoThroughSaveFetchPredicateHistoryAndExport(_ kind: Kind) async throws {
        let folder = try TemporaryFolder("kinds")
        let container = try await Gallery.open(folder, name: "here")
        let id = try await container.save { context in
            _ = try context.insert(Exhibit.self)
            let exhibit = try context.insert(Exhibit.self)
            try exhibit.setValue(kind.value, forKey: kind.name)
            #expect(exhibit.changedValues()[kind.name] == kind.value)
            let request = try FetchRequest("Exhibit", where: kind.condition)
            #expect(try context.fetchIDs(request) == [exhibit.objectID], "before the save")
            try context.save()
            context.reset()
            #expect(try context.fetchIDs(request) == [exhibit.objectID], "after the save")
            let read = try #require(try context.fetch(request).first)
            #expect(try read.value(forKey: kind.name) == kind.value)
            try read.setValue(.null, forKey: kind.name)
            try context.save()
            #expect(try context.fetchIDs(FetchRequest("Exhibit", where: "\(kind.name) == NULL")).count == 2)
            try read.setValue(kind.value, forKey: kind.name)
            return exhibit.objectID
        }
        let last = try #require(try container.fetchHistory().last?.changes.first)
        #expect(last.updatedProperties == [kind.name] && last.objectID == id)

        let other = try await Gallery.open(folder, name: "there")
        try ReplicaExchange.send(from: container.store, to: other.store)
        try await other.performBackgroundTask { context in
            let found = try #require(try context.fetch(FetchRequest("Exhibit", where: kind.condition)).first)
            #expect(found.objectID == id)
            #expect(try found.value(forKey: kind.name) == kind.value)
        }
        #expect(try container.store.digest() == other.store.digest())
    }

    @Test func typedPropertiesReadWhatWasSet() async throws {
        let folder = try TemporaryFolder("kinds")
        let container = try await Gallery.open(folder)
        let code = UUID()
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit.title = "t"
            (exhibit.small, exhibit.medium, exhibit.large) = (.min, .max, .min)
            exhibit.isShown = false
            exhibit.seen = Date(timeIntervalSince1970: 12.5)
            exhibit.raw = Data([1, 2, 3])
            exhibit[Exhibit.shape] = Shape(corners: 6)
            (exhibit.ratio, exhibit.share) = (.pi, 0.1)
            exhibit.price = Decimal(string: "0.10")
            exhibit.code = code
            exhibit.home = URL(string: "mailto:a@example.org")
            exhibit.address = Address(street: "s", geo: Geo(latitude: 1, longitude: 2))
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(Exhibit.self).first)
            #expect(read.title == "t")
            #expect(read.small == .min && read.medium == .max && read.large == .min)
            #expect(read.isShown == false)
            #expect(read.seen == Date(timeIntervalSince1970: 12.5))
            #expect(read.raw == Data([1, 2, 3]))
            #expect(read[Exhibit.shape] == Shape(corners: 6))
            #expect(read.ratio == .pi && read.share == 0.1)
            #expect(read.price == Decimal(string: "0.1"))
            #expect(read.code == code)
            #expect(read.home?.absoluteString == "mailto:a@example.org")
            #expect(read.address == Address(street: "s", geo: Geo(latitude: 1, longitude: 2)))
        }
    }

    @Test func aTransientAttributeWithoutATypeTakesAnythingAndIsNeverStored() async throws {
        let folder = try TemporaryFolder("kinds")
        let container = try await Gallery.open(folder)
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            for kind in AttributeKindTests.kinds {
                try exhibit.setValue(kind.value, forKey: "mood")
                #expect(exhibit[Exhibit.mood] == kind.value)
            }
            try context.save()
            exhibit[Exhibit.mood] = .string("calm")
            #expect(!context.hasChanges)
            #expect(throws: (any Error).self) { try context.fetch(FetchRequest("Exhibit", where: "mood == 'calm'")) }
            context.reset()
            #expect(try context.fetch(Exhibit.self).first?[Exhibit.mood] == .null)
        }
        let columns = try PlainSQL(path: folder.path("gallery.sqlite")).rows("PRAGMA table_info(\"Exhibit\")")
        #expect(!columns.contains { $0.contains("mood") })
        #expect(columns.contains { $0.contains("title") })
    }

    @Test func valuesOfAnotherTypeAreRefused() async throws {
        let folder = try TemporaryFolder("kinds")
        let container = try await Gallery.open(folder)
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            for (name, value) in [
                ("title", PropertyValue.integer(1)), ("small", .integer(32_768)), ("medium", .integer(1 << 31)),
                ("shown", .string("x")), ("seen", .string("x")), ("raw", .string("x")), ("ratio", .string("x")),
                ("price", .decimal("01")), ("code", .string("x")), ("home", .string("x")), ("address", .string("{}")),
                ("address", .composite("[]")),
                ("address", .composite(#"{"town":"x"}"#)), ("address", .composite(#"{"number":"x"}"#)),
            ] {
                #expect(throws: ContextError.self, "\(name)") { try exhibit.setValue(value, forKey: name) }
            }
            #expect(exhibit.changedValues().isEmpty)
        }
    }
}
