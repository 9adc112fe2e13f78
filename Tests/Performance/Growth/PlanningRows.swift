import TestSupport
import TransactionLog
import TributaryChanges
import TributarySync

/// The costs of waiting segments.
enum PlanningRows {
    static let all = [
        // What the largest number needs still fits into the processor's cache: beyond it the time of each step grows.
        GrowthRow(title: "status while segments of n writers wait", order: .linear, smallest: 125) { count in
            let folder = try ImportedFolder()
            for number in 0..<count {
                let lines = [#"{"transaction":2,"clock":"019aa3f1c2d40000","changes":0}"#]
                try folder.publish(SegmentText(writer: writer(number), first: 2, last: 2, lines))
            }
            return try await folder.importAll { service in
                try await GrowthRow.processorMilliseconds { for _ in 0..<400 { _ = service.status } }
            }
        },
        GrowthRow(title: "a hint about a file behind n that wait", order: .constant, smallest: 10_000) { count in
            let limits = ImportPlanner.Limits(maxAhead: .zero, incompleteGrace: .zero)
            var planner = ImportPlanner(own: writer(0), limits: limits)
            var listing = WriterListing(writer: writer(1))
            listing.pending = (0..<count).map { pending(UInt64($0) + 10_000) }
            planner.found(listing, wall: .epoch)
            return try await GrowthRow.processorMilliseconds {
                for number in 0..<5_000 as Range<UInt64> {
                    var change = ListingChange(writer: writer(1))
                    change.pending = [pending(10_000 + UInt64(count) + number)]
                    change.names = [change.pending[0].id]
                    planner.found(change, wall: .epoch)
                }
            }
        },
        GrowthRow(title: "a look for new states while n wait", order: .constant, smallest: 10_000) { count in
            let limits = ImportPlanner.Limits(maxAhead: .zero, incompleteGrace: .zero)
            var planner = ImportPlanner(own: writer(0), limits: limits)
            var listing = WriterListing(writer: writer(1))
            listing.pending = (0..<count).map { pending(UInt64($0) + 10_000) }
            planner.found(listing, wall: .epoch)
            _ = planner.announce(wall: .epoch)
            return try await GrowthRow.processorMilliseconds {
                for _ in 0..<300 { _ = planner.announce(wall: .epoch) }
            }
        },
        GrowthRow(
            title: "looks at n damaged segments that hold n others",
            order: .linear,
            smallest: 250,
            unit: .steps,
            runs: 1
        ) { count in
            let limits = ImportPlanner.Limits(maxAhead: .zero, incompleteGrace: .zero)
            var planner = ImportPlanner(own: writer(0), limits: limits)
            var listing = WriterListing(writer: writer(1))
            let covers = (0..<UInt64(count)).map { number in
                WriterListing.Pending(
                    id: SegmentName(writer: writer(1), first: 1, last: .max - number),
                    file: FileIdentity(FileAttributes(inode: number, size: 1))
                )
            }
            listing.pending = covers + (1...UInt64(count)).map(pending)
            planner.found(listing, wall: .epoch)
            for cover in covers {
                let damaged = VerificationResult.bad(.damaged, reason: "", line: nil)
                planner.verified(cover.id, file: cover.file, as: damaged, wall: .epoch)
            }
            _ = planner.next(wall: .epoch)
            return Double(planner.segmentLooks)
        },
    ]

    private static func pending(_ sequence: UInt64) -> WriterListing.Pending {
        let name = SegmentName(writer: writer(1), first: sequence, last: sequence)
        return WriterListing.Pending(id: name, file: FileIdentity(FileAttributes(inode: sequence, size: 600)))
    }

    private static func writer(_ number: Int) -> UniqueID {
        UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }
}
