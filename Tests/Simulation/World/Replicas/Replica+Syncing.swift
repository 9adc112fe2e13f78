import TransactionLog
import TributaryChanges
import TributarySync

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

    /// Takes steps of the import.
    ///
    /// - Parameters:
    ///   - count: The number of steps; nil for all until nothing more can be imported.
    ///   - isWhole: Whether the whole folder is scanned first.
    ///   - crash: The moment at which the program ends, when it is reached.
    /// - Returns: Whether the program ended.
    /// - Throws: ``Divergence`` when an import fails or does not end.
    @discardableResult
    func takeImportSteps(_ count: Int?, isWhole: Bool, crash: CrashPoint? = nil) async throws -> Bool {
        var sync = try runningSync()
        if isWhole { sync.report(FolderHints(everything: true)) }
        crashes.arm(crash)
        var steps = 0
        while steps < count ?? Replica.stepLimit, await sync.importStep() { steps += 1 }
        crashes.arm(nil)
        if let image = crashes.takeImage() {
            try self.crash(with: image)
            return true
        }
        self.sync = sync
        if let failure = sync.importFailure { throw Divergence("the import of \(writer) failed: \(failure)") }
        guard steps < Replica.stepLimit else { throw Divergence("the import of \(writer) does not end") }
        return false
    }

    /// Exports what is committed and not exported.
    ///
    /// A replica whose clock is ahead exports nothing, and neither does a copy that cannot find out whether it is one.
    ///
    /// - Returns: Whether the program ended at `crash`.
    func export(crash: CrashPoint? = nil) async throws -> Bool {
        let sync = try runningSync()
        self.sync = sync
        crashes.arm(crash)
        defer { crashes.arm(nil) }
        do {
            try await sync.export()
        } catch is CrashPlan.Crash {
            try self.crash(with: crashes.takeImage())
            return true
        } catch let failure as ExportFailure {
            switch failure {
            case .clockAhead: break
            // A copy finds nothing of its writer in its log folder before the replicator brings it.
            case .foreignFolder where own.count > 0: break
            default: throw failure
            }
        }
        return false
    }

    func checkIdentity() async throws {
        let sync = try runningSync()
        self.sync = sync
        await sync.checkIdentity()
    }

    func acknowledge() async throws {
        let sync = try runningSync()
        self.sync = sync
        guard await sync.acknowledge() else { throw Divergence("\(writer) cannot acknowledge") }
    }
}
