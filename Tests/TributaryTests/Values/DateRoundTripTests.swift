import Foundation
import TestSupport
import Testing

@testable import Tributary

/// A date reads back equal also from batches, unique keys, history, derived attributes, predicate texts and migrations;
/// dates that are next to each other stay two.
@Suite struct DateRoundTripTests {
    private static let model = """
        version: "1"
        entities:
          Event:
            unique: [at]
            attributes:
              at: {type: Date, optional: true, preserve_after_deletion: true}
              end: Date?
              name: String?
              copy: {type: Date, optional: true, derived: at}
              start: {type: Date, optional: true, derived: day.start}
            relationships:
              day: {to: Day?, inverse: events}
          Day:
            attributes:
              start: Date?
              price: Decimal?
              first: {type: Date, optional: true, derived: "min:(events.at)"}
              last: {type: Date, optional: true, derived: events.@max.at}
            relationships:
              events: {to: Event, many: true, inverse: day}
        """

    private let folder: TemporaryFolder
    private let container: PersistentContainer
    private let dates: [DateValue]

    init() async throws {
        folder = try TemporaryFolder("dateroundtrip")
        container = try await PersistentContainer(
            name: "dates",
            model: try Model(yaml: Self.model),
            classes: [DatedEvent.self],
            store: .file(folder.path("store.sqlite"))
        )
        var random = SeededGenerator.printingSeed()
        let drawn = (0..<8).map { _ in Double.random(in: -1e9...1e9, using: &random) }
        dates = drawn.flatMap { [$0.nextDown, $0, $0.nextUp] }.map(DateValue.init(secondsSinceReferenceDate:))
    }

    private func events(_ text: String, _ arguments: [PredicateArgument] = []) async throws -> [ObjectSnapshot] {
        let request = FetchRequest("Event", predicate: try ObjectPredicate(parsing: text, arguments: arguments))
        return try await container.performBackgroundTask { try $0.fetch(request).map { $0.snapshot() } }
    }

    private func insertAll() async throws {
        let rows = dates.map { ["at": PropertyValue.date($0)] }
        #expect(try await container.execute(BatchInsertRequest("Event", rows: rows)).count == dates.count)
    }

    @Test func inBatches() async throws {
        try await insertAll()
        for date in dates {
            let found = try await events("at == %@", [.date(date.date)])
            #expect(found.map { $0["at"] } == [.date(date)] && found.first?["copy"] == .date(date))
            let predicate = try ObjectPredicate(parsing: "at == %@", arguments: [.date(date.date)])
            let copying = BatchUpdateRequest("Event", predicate: predicate, setting: ["end": .property("at")])
            #expect(try await container.execute(copying).count == 1)
            #expect(try await events("end == %@", [.date(date.date)]).map { $0["at"] } == [.date(date)])
            let next = DateValue(secondsSinceReferenceDate: date.secondsSinceReferenceDate + 5e9)
            let setting = BatchUpdateRequest("Event", predicate: predicate, setting: ["end": .value(.date(next))])
            #expect(try await container.execute(setting).count == 1)
            #expect(try await events("at == %@", [.date(date.date)]).map { $0["end"] } == [.date(next)])
        }
        for (index, date) in dates.enumerated() {
            let predicate = try ObjectPredicate(parsing: "at == %@", arguments: [.date(date.date)])
            #expect(try await container.execute(BatchDeleteRequest("Event", predicate: predicate)).count == 1)
            #expect(try await events("TRUEPREDICATE").count == dates.count - index - 1)
        }
    }

    @Test func inUniqueKeys() async throws {
        try await insertAll()
        let ids = try await events("TRUEPREDICATE").reduce(into: [:]) { $0[$1["at"]] = $1.id }
        #expect(ids.count == dates.count)
        for date in dates {
            let found = try await container.performBackgroundTask { context in
                try context.upsert(DatedEvent.self, by: ["at": .date(date)]).objectID
            }
            #expect(found == ids[.date(date)])
            await #expect(throws: ConflictError.self) {
                try await container.save { try $0.insert(DatedEvent.self).setValue(.date(date), forKey: "at") }
            }
        }
    }

    @Test func inHistory() async throws {
        try await insertAll()
        let token = try container.currentHistoryToken()
        try await container.save { context in
            for event in try context.fetch(DatedEvent.self) { context.delete(event) }
        }
        let changes = try container.fetchHistory(after: token).flatMap(\.changes)
        #expect(Set(changes.compactMap { $0.tombstone["at"] }) == Set(dates.map(PropertyValue.date)))
    }

    @Test func inDerivedAttributes() async throws {
        let dates = dates
        try await container.performBackgroundTask { context in
            let day = try context.insert("Day", ["start": .date(dates[1])])
            for date in dates {
                let event = try context.insert(DatedEvent.self)
                try event.setValue(.date(date), forKey: "at")
                try day.link(event, forKey: "events")
            }
            try context.save()
            #expect(try day.value(forKey: "first") == dates.min().map(PropertyValue.date))
            #expect(try day.value(forKey: "last") == dates.max().map(PropertyValue.date))
            for event in try context.fetch(DatedEvent.self) {
                #expect(try event.value(forKey: "copy") == event.value(forKey: "at"))
                #expect(try event.value(forKey: "start") == .date(dates[1]))
            }
        }
        let shown = try await events("start == %@", [.date(dates[1].date)])
        #expect(shown.count == dates.count)
    }

    @Test func inTheTextOfAPredicate() async throws {
        try await insertAll()
        for date in dates {
            let predicate = try ObjectPredicate(parsing: "at == \(date)")
            #expect(try ObjectPredicate(parsing: predicate.description) == predicate)
            let found = try await events("at == \(date)")
            #expect(found.map { $0["at"] } == [.date(date)], "\(date)")
            let built = try ObjectPredicate(parsing: "at == %@", arguments: [.date(date.date)])
            #expect(try await events(built.description).map { $0["at"] } == [.date(date)])
            let inList = try await events("at IN {\(date)} AND at BETWEEN {\(date), \(date)}")
            #expect(inList.map { $0["at"] } == [.date(date)])
        }
    }

    @Test func aDecimalInTheTextOfAPredicateKeepsItsDigits() async throws {
        let prices = ["0.1234567890123456789", "0.1234567890123456788", "98765432109876543.21"]
        try await container.save { context in
            for price in prices {
                try context.insert(entity: "Day").setValue(.decimal(price), forKey: "price")
            }
        }
        for price in prices {
            for text in ["price == \(price)", "price == '\(price)'", "price + 0 == \(price)"] {
                let found = try await container.performBackgroundTask { context in
                    try context.fetch(FetchRequest("Day", predicate: ObjectPredicate(parsing: text)))
                        .map { try $0.value(forKey: "price") }
                }
                #expect(found == [.decimal(price)], "\(text)")
            }
        }
        // Where no decimal can be, the digits beyond a double's are dropped.
        try await insertAll()
        let text = "CAST(at, 'NSNumber') * 1.00000000000000000001 == CAST(at, 'NSNumber')"
        #expect(try await events(text).count == dates.count)
    }

    @Test(.timeLimit(.minutes(30))) func inWhatAMigrationPutsAside() async throws {
        let folder = try TemporaryFolder("formerdates")
        let texts = [
            "version: '1'\nentities:\n  Event: {attributes: {at: Date?, price: Decimal?}}\n",
            "version: '2'\nentities:\n  Event: {attributes: {at: String?, price: Decimal?}}\n",
        ]
        let old = try await folder.openStore(texts[0])
        let dates = dates
        try await old.save { context in
            for date in dates { try context.insert(entity: "Event").setValue(.date(date), forKey: "at") }
        }
        try await old.close()
        let stage = MigrationStage(
            from: "1",
            to: "2",
            didMigrate: { editor in
                for event in try editor.objects("Event") {
                    guard case .date(let date)? = try editor.formerValue(of: "at", for: event.id) else { continue }
                    let text = "\(date.secondsSinceReferenceDate)"
                    try editor.update(event.id, ["at": .string(text)])
                }
            }
        )
        let new = try await folder.openStore(texts[1], MigrationOptions(stages: [stage]))
        let found = try await new.performBackgroundTask { context in
            try context.fetch(FetchRequest("Event")).map { try $0.value(forKey: "at") }
        }
        #expect(Set(found) == Set(dates.map { .string("\($0.secondsSinceReferenceDate)") }))
        try await new.close()
    }
}

private final class DatedEvent: ManagedObject {
    override class var entityName: String { "Event" }
}
