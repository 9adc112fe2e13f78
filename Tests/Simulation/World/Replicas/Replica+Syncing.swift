import SimulationRunning
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore
package import TributarySync

extension Replica {
    /// The number of steps after which an import that does not end has failed.
    private static let stepLimit = 2_000

    /// Reports a file, as an event of the folder does.
    func hear(of name: SegmentName) throws {
        let sync = try runningSync()
        var hints = FolderHints()
        hints.insert(file: name)
        sync.report(hints)
        self.sync = sync
    }

    /// Takes steps of the import, without a count until nothing more can be imported; whether the program ended.
    @discardableResult
    func takeImportSteps(_ count: Int?, isWhole: Bool, crash: CrashPoint? = nil) async throws -> Bool {
        var sync = try runningSync()
        if isWhole { sync.report(FolderHints(everything: true)) }
        crashes.arm(crash)
        var steps = 0
        while steps < count ?? Replica.stepLimit, await sync.importStep() { steps += 1 }
        crashes.arm(nil)
        if try endIfCrashed() { return true }
        self.sync = sync
        if let failure = sync.importFailure { throw Divergence("the import of \(writer) failed: \(failure)") }
        guard steps < Replica.stepLimit else { throw Divergence("the import of \(writer) does not end") }
        return false
    }

    /// Exports what is committed and not exported; whether the program ended.
    ///
    /// A replica whose clock is ahead, or whose folder is lost, exports nothing; nor does one while a damaged copy has
    /// the name of a segment.
    @discardableResult
    package func export(crash: CrashPoint? = nil) async throws -> Bool {
        let sync = try runningSync()
        self.sync = sync
        crashes.arm(crash)
        defer { crashes.arm(nil) }
        do {
            try await sync.service.exportNow()
        } catch is CrashPlan.Crash {
            return try endIfCrashed()
        } catch let failure as ExportFailure {
            guard isExpected(failure) else { throw failure }
        } catch let error as SegmentError {
            guard isObstructed else { throw error }
        }
        return false
    }

    func isExpected(_ failure: ExportFailure) -> Bool {
        switch failure {
        case .clockAhead: true
        case .foreignFolder: isWithoutFolder
        case .nameTaken: isObstructed || !folder.foreign.isEmpty
        default: false
        }
    }

    /// Whether the store has lost its log folder, and is or was this writer.
    func hasLostFolder(of writer: UniqueID) -> Bool {
        folder.loss != nil && (writers.contains(writer) || folder.lostWriters.contains(writer))
    }

    /// Whether the log folder has nothing of the store.
    var isWithoutFolder: Bool { !writers.contains { folder.hasFolder(of: $0) } }

    /// Whether the store has something to publish, and the log folder has nothing of what it has published before.
    func lacksOwnFolder() throws -> Bool {
        guard isWithoutFolder, try !hasPublishedAll() else { return false }
        return try !store.read { try $0.outbox.exporters().isEmpty }
    }

    /// Whether a damaged copy has the name of a segment of the store.
    var isObstructed: Bool { folder.names().contains { writers.contains($0.writer) && folder.isDamaged($0) } }

    /// Whether all that the store has committed is in segments of which it knows.
    func hasPublishedAll() throws -> Bool {
        try store.read { try $0.outbox.unexported().isEmpty && $0.outbox.unfinishedExports().isEmpty }
    }

    /// Whether the outbox has a segment, so that it can be published again.
    func canPublish(_ name: SegmentName) throws -> Bool {
        try store.read { reader in
            guard try reader.outbox.export(of: name.writer, beginningAt: name.first)?.last == name.last else {
                return false
            }
            return try reader.outbox.run(of: name.writer, from: name.first, through: name.last) == name
                .first...name.last
        }
    }

    package func importAll() async throws { _ = try await takeImportSteps(nil, isWhole: true) }

    /// The segments that contradict what is applied.
    package var forked: [SegmentStatus] { get throws { try runningSync().forked } }

    package func ownSegments() throws -> [PublishedSegment] { try folder.ownSegments() }

    /// Leaves a whole copy of a segment in the log folder.
    package func leave(_ segment: PublishedSegment) throws {
        try folder.leave(segment, .none, at: clock.time, replaces: false)
    }

    /// What keeps the store from importing, in words.
    var problems: [Problem] { get throws { try runningSync().problems } }

    func acknowledge() async throws {
        let sync = try runningSync()
        self.sync = sync
        guard await sync.acknowledge() else { throw Divergence("\(writer) cannot acknowledge") }
    }
}
