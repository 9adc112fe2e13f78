import Foundation
import TestSupport
import Testing
import Tributary
import TributaryStore

/// A date reads back equal, wherever it has been: half of all dates of today have no double of Unix seconds.
@Suite("Exact dates")
struct ExactDateTests {
    private static let edges: [Date] = [
        Date(timeIntervalSinceReferenceDate: 721_692_800.1230001),
        Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
        Date(timeIntervalSinceReferenceDate: -.leastNonzeroMagnitude), .distantPast, .distantFuture,
        Date(timeIntervalSince1970: 0.1),
        Date(timeIntervalSince1970: 0), Date(timeIntervalSinceReferenceDate: 0),
        Date(timeIntervalSinceReferenceDate: 1e300), Date(timeIntervalSinceReferenceDate: -1e17),
    ]

    /// Dates, each with the next ones on both sides, so that what rounds makes two equal.
    private static func dates(_ random: inout SeededGenerator, _ count: Int) -> [Date] {
        let drawn = (0..<count).map { _ in Double.random(in: -1e9...1e9, using: &random) }
        return (drawn.flatMap { [$0.nextDown, $0, $0.nextUp] }).map { Date(timeIntervalSinceReferenceDate: $0) } + edges
    }

    @Test func aDateReadsBackEqual() async throws {
        var random = SeededGenerator.printingSeed()
        let dates = Self.dates(&random, 20)
        let folder = try TemporaryFolder("dates")
        let container = try await Gallery.open(folder, name: "here")
        let ids = try await container.performBackgroundTask { context in
            let exhibits = try dates.map { date in
                let exhibit = try context.insert(Exhibit.self)
                exhibit.seen = date
                #expect(exhibit.seen == date, "at once")
                return exhibit
            }
            try context.save()
            context.reset()
            return exhibits.map(\.objectID)
        }
        try await Self.check(container, ids, dates)

        let other = try await Gallery.open(folder, name: "there")
        try ReplicaExchange.send(from: container.store, to: other.store)
        try await Self.check(other, ids, dates)
        #expect(try container.store.digest() == other.store.digest())
    }

    /// Values, snapshots, predicates and sorting, from the store and from memory.
    private static func check(
        _ container: PersistentContainer,
        _ ids: [ManagedObjectID],
        _ dates: [Date]
    ) async throws {
        try await container.performBackgroundTask { context in
            for (id, date) in zip(ids, dates) {
                let exhibit = try context.existingObject(with: id, as: Exhibit.self)
                #expect(exhibit.seen == date)
                let snapshot = exhibit.snapshot()
                #expect(snapshot["seen"] == .date(DateValue(date)))
                let coded = try JSONDecoder().decode(ObjectSnapshot.self, from: try JSONEncoder().encode(snapshot))
                #expect(coded["seen"] == snapshot["seen"])
            }
            for isDirty in [false, true] {
                if isDirty {
                    for exhibit in try context.fetch(Exhibit.self) { exhibit.title = "changed" }
                }
                for date in dates {
                    for (words, holds) in Self.comparisons {
                        let request = try FetchRequest("Exhibit", where: "seen \(words) %@", [.date(date)])
                        let found = Set(try context.fetchIDs(request))
                        let expected = Set(zip(ids, dates).filter { holds($0.1, date) }.map(\.0))
                        #expect(found == expected, "seen \(words) \(date.timeIntervalSinceReferenceDate), \(isDirty)")
                    }
                }
                let sorted = try context.fetch(Exhibit.self, sortKeys: [SortKey("seen")]).map(\.seen)
                #expect(sorted == dates.sorted())
            }
        }
    }

    private static let comparisons: [(String, @Sendable (Date, Date) -> Bool)] = [
        ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), (">=", { $0 >= $1 }),
    ]

    @Test func plainSQLReadsUnixSeconds() async throws {
        let folder = try TemporaryFolder("dates")
        let container = try await Gallery.open(folder, name: "here")
        let numbers: [Double] = [
            0.1, -0.1, 1_700_000_000.123, 1_700_000_000.5, 86_399.999, 978_307_200, 1_763_683_200.000001,
        ]
        try await container.save { context in
            for (index, number) in numbers.enumerated() {
                let exhibit = try context.insert(Exhibit.self)
                exhibit.large = Int64(index)
                try exhibit.setValue(.date(DateValue(unixSeconds: number)), forKey: "seen")
            }
            try context.insert(Exhibit.self).large = 100
        }
        let rows = try PlainSQL(path: folder.path("here.sqlite")).rows(
            "SELECT printf('%!.17g', seen), typeof(seen), datetime(seen, 'unixepoch') FROM Exhibit ORDER BY large"
        )
        #expect(rows.count == numbers.count + 1)
        for (row, number) in zip(rows, numbers) {
            #expect(row[0].flatMap { Double($0) } == number)
            #expect(row[1] == "real")
        }
        #expect(rows[3][2] == "2023-11-14 22:13:20")
        try await container.close()
    }
}
