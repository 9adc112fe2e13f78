import Foundation
import TestSupport
import Testing
import Tributary
import TributaryStore

/// Composite attributes: their members in classes, predicates, sort keys, snapshots and history.
struct CompositeTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Gallery.open() }

    private func insert(_ title: String, _ address: Address?, in context: ManagedObjectContext) throws -> Exhibit {
        let exhibit = try context.insert(Exhibit.self)
        exhibit.title = title
        exhibit.address = address
        return exhibit
    }

    @Test func membersAreReadAndWrittenInPlace() async throws {
        try await container.performBackgroundTask { context in
            let exhibit = try insert("a", Address(street: "High Street", number: 1), in: context)
            try context.save()
            exhibit.address?.number = 2
            exhibit.address?.geo = Geo(latitude: 1, longitude: 2)
            exhibit.address?.geo?.latitude = 3
            #expect(context.updatedObjects == [exhibit])
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(Exhibit.self).first)
            #expect(read.address?.street == "High Street")
            #expect(read.address?.number == 2)
            #expect(read.address?.geo == Geo(latitude: 3, longitude: 2))
            #expect(read[Exhibit.address]?.geo?.longitude == 2)
            read.address?.geo = nil
            read.address?.street = nil
            #expect(try read.value(forKey: "address") == .composite(#"{"number":2}"#))
            // Text that is not canonical becomes so when it is set.
            try read.setValue(
                .composite(#"{"street": "b", "geo": {"longitude": 2, "latitude": 1}}"#),
                forKey: "address"
            )
            let canonical = #"{"geo":{"latitude":1.0,"longitude":2.0},"street":"b"}"#
            #expect(try read.value(forKey: "address") == .composite(canonical))
            #expect(read.address == Address(street: "b", geo: Geo(latitude: 1, longitude: 2)))
        }
        let properties = try container.fetchHistory().last?.changes.first?.updatedProperties
        #expect(properties == ["address"])
    }

    @Test(arguments: [false, true])
    func membersArePredicatesAndSortKeys(_ isSaved: Bool) async throws {
        try await container.performBackgroundTask { context in
            let code = UUID()
            let a = Address(street: "Élan", number: 3, isOpen: true, since: Date(timeIntervalSince1970: 9))
            let b = Address(street: "b", code: code, rent: Decimal(string: "10.5"))
            let c = Address(number: -1, isOpen: false, rent: 9, geo: Geo(latitude: 7, longitude: 8))
            let first = try insert("1", a, in: context)
            first.next = try insert("2", b, in: context)
            _ = try insert("3", c, in: context)
            _ = try insert("4", nil, in: context)
            if isSaved {
                try context.save()
                context.reset()
            }
            let keys = Exhibit.keys
            func titles(_ predicate: ObjectPredicate?, _ sort: SortKey = SortKey("title")) throws -> String {
                try context.fetch(Exhibit.self, predicate: predicate, sortKeys: [sort]).compactMap(\.title).joined()
            }
            #expect(try titles(keys.address.street == "b") == "2")
            #expect(try titles(keys.address.street == nil) == "34")
            #expect(try titles(keys.address.street.beginsWith("e", [.caseInsensitive, .diacriticInsensitive])) == "1")
            #expect(try titles(keys.address.number < 3) == "3")
            #expect(try titles(keys.address.isOpen == false) == "3")
            #expect(try titles(keys.address.since > Date(timeIntervalSince1970: 8)) == "1")
            #expect(try titles(keys.address.code == code) == "2")
            #expect(try titles(keys.address.rent >= 9) == "23")
            #expect(try titles(keys.address.rent.in([Decimal(9), 3])) == "3")
            #expect(try titles(keys.address.geo.latitude == 7) == "3")
            #expect(try titles(keys.next.address.street == "b") == "1")
            #expect(try titles(keys.previous.any.address.number == 3) == "2")
            #expect(try titles(ObjectPredicate(parsing: "previous.@sum.address.number == 3")) == "2")
            #expect(try titles(ObjectPredicate(parsing: "address.number + 1 == 4")) == "1")
            #expect(try titles(ObjectPredicate(parsing: "address == NULL")) == "4")
            #expect(try titles(keys.address.street != nil, keys.address.street.descending) == "12")
            #expect(try titles(keys.address.rent != nil, keys.address.rent.ascending) == "32")
            #expect(try titles(keys.address.number != nil, keys.address.number.ascending) == "31")
        }
    }

    @Test func unknownMembersAreNamed() async throws {
        let request = try FetchRequest("Exhibit", where: "address.town == 'x'")
        let line = FetchRequest("Exhibit", predicate: Exhibit.keys.address.line == "x")
        let through = try FetchRequest("Exhibit", where: "title.town == 3")
        try await container.performBackgroundTask { context in
            let unknown = try #require(throws: (any Error).self) { try context.fetch(request) }
            #expect("\(unknown)".contains("'address' is a composite without 'town'"))
            #expect("\(unknown)".contains("'street'"))
            #expect(throws: (any Error).self) { try context.fetch(line) }
            let attribute = try #require(throws: (any Error).self) { try context.fetch(through) }
            #expect("\(attribute)".contains("no path leads through it"))
        }
    }

    @Test func snapshotsCarryTheWholeComposite() async throws {
        try await container.performBackgroundTask { context in
            let address = Address(
                street: "s",
                since: Date(timeIntervalSince1970: 1),
                geo: Geo(latitude: 1, longitude: 2)
            )
            let snapshot = try insert("a", address, in: context).snapshot(include: ["address"])
            #expect(snapshot.values.keys.sorted() == ["address"])
            let data = try JSONEncoder().encode(snapshot)
            let read = try JSONDecoder().decode(ObjectSnapshot.self, from: data)
            #expect(read == snapshot)
            #expect(CompositeFields(read["address"]).map(Address.init) == address)
            let other = try context.insert(Exhibit.self)
            try other.update(from: read)
            #expect(other.address == address && other.title == nil)
        }
    }

    @Test func equalMembersHaveEqualText() {
        var (one, other) = (CompositeFields(), CompositeFields())
        one.set("b", to: 1)
        one.set("a", to: "x")
        other.set("a", to: "x")
        other.set("c", to: String?.none)
        other.set("b", to: 1)
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(Address().fieldValue == .composite("{}"))
        #expect(Address(street: "ä\"").fieldValue == .composite(#"{"street":"ä\""}"#))
    }
}
