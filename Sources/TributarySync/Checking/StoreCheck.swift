import Foundation
import TransactionLog
package import TributaryAdmin
package import TributaryChanges
package import TributaryStore

// This folder compares a store with its log folder: SQLite's integrity, the files of the segments, and a second store
// that is built from them.

/// Checks SQLite's integrity, positions, files, hashes, large values, and the digest of a store rebuilt from the segments.
package struct StoreCheck: Sendable {
    package typealias Opening = @Sendable (StoreConfiguration) throws -> Store

    package typealias Progress = @Sendable (_ phase: String, _ done: Int64, _ total: Int64?) -> Void

    let store: Store
    let logs: String
    let encryption: EncryptionKeys
    let repairs: Bool
    /// Also has the key for signing repaired segments.
    let trust: StoreTrust
    let open: Opening
    let progress: Progress
    private let queue = SerialQueue("tributary.check", inBackground: true)
    private let cancellation = ReadCancellation()

    package init(
        of store: Store,
        logs: String,
        encryption: EncryptionKeys = EncryptionKeys(),
        repairs: Bool,
        trust: StoreTrust = StoreTrust(),
        open: @escaping Opening,
        progress: @escaping Progress
    ) {
        self.store = store
        self.logs = logs
        self.encryption = encryption
        self.repairs = repairs
        self.trust = trust
        self.open = open
        self.progress = progress
    }

    package func run() async throws -> CheckReport {
        try await withTaskCancellationHandler {
            var report = CheckReport()
            try await checkFile(&report)
            try await checkValues(&report)
            try await checkFolder(&report)
            return report
        } onCancel: {
            cancellation.cancel()
        }
    }

    private var rebuilding: String {
        "tributaryctl restore --from-logs --store \(store.configuration.path.shellWord)"
    }

    // MARK: The file of the store

    private func checkFile(_ report: inout CheckReport) async throws {
        progress("integrity", 0, nil)
        var faults = try await faults()
        if !faults.isEmpty, repairs {
            do {
                try await store.writeAsync { try $0.rebuildIndexes() }
                faults = try await self.faults()
                report.repairs.append("The indexes of the store were built again.")
            } catch let error as StoreError where error.isDamage {
                // The tables are also damaged, which the faults below report.
            }
        }
        for fault in faults {
            report.add(
                .storeDamaged,
                detail: "The store's file is damaged: \(fault).",
                file: store.configuration.path,
                hint:
                    "If check --repair does not help, stop the daemon, and restore a backup or rebuild the "
                    + "store from the log folder: \(rebuilding)"
            )
        }
        try await checkStructures(&report)
    }

    private func faults() async throws -> [String] {
        do {
            return try await store.readAside { try $0.inspection.faults() }
        } catch let error as StoreError where error.isDamage {
            return ["\(error)"]
        }
    }

    private func checkStructures(_ report: inout CheckReport) async throws {
        guard let missing = try? await store.readAside({ try $0.inspection.missingStructures() }), !missing.isEmpty
        else { return }
        let names = missing.joined(separator: ", ")
        if repairs {
            try await store.writeAsync { try $0.createMissingStructures() }
            report.repairs.append("Missing views and indexes were created: \(names).")
        } else {
            report.add(
                .structureMissing,
                detail: "The store lacks the views or indexes \(names).",
                file: store.configuration.path,
                hint: "tributaryctl check --repair"
            )
        }
    }

    // MARK: Large values

    private func checkValues(_ report: inout CheckReport) async throws {
        let found: (count: Int64, faults: [ExternalValueFault])
        do {
            found = try await store.readAside { reader in
                var count: Int64 = 0
                let faults = try reader.externalValues.faults(limit: CheckReport.limit) {
                    if cancellation.isCancelled { throw CancellationError() }
                    count = $0
                    progress("values", $0, nil)
                }
                return (count, faults)
            }
        } catch let error as StoreError where error.isDamage {
            return
        }
        report.values = found.count
        let folders = repairs ? (try? LogFolder(path: logs).writers())?.sorted() ?? [] : []
        for fault in found.faults {
            if repairs, try await restore(fault, from: folders) {
                report.repairs.append("The large value \(fault.sha256) was copied from the log folder.")
                continue
            }
            report.add(
                .valueMissing,
                detail: "A large value cannot be read: \(fault.reason).",
                hint: "If the log folder has it, it comes back with: tributaryctl check --repair"
            )
        }
    }

    private func restore(_ fault: ExternalValueFault, from writers: [UniqueID]) async throws -> Bool {
        try await queue.run { () throws -> Bool in
            guard let logs = try? LogFolder(path: logs, keys: encryption) else { return false }
            for writer in writers {
                do {
                    try store.restore(fault) { try logs.readBlob(fault.sha256, of: writer, size: fault.size, $0) }
                    return true
                } catch is SegmentError {
                    continue
                }
            }
            return false
        }
    }

    // MARK: The log folder

    /// Repeats the check if a segment is missing and another store has compacted meanwhile.
    private func checkFolder(_ report: inout CheckReport) async throws {
        var before = report
        for attempt in 1... {
            let scratch = try ScratchFolder(.check, besideStore: store.configuration.path)
            defer { scratch.remove() }
            report = before
            let baselines = try await checkFolder(scratch, &report)
            let isMissing = report.problems.contains { $0.code == .segmentMissing || $0.code == .exportMissing }
            guard isMissing, attempt < StoreCheck.attempts, let baselines,
                let now = try? await list().baselines, now != baselines
            else { return }
            before.repairs = report.repairs
        }
    }

    private static let attempts = 4

    private func list() async throws -> LogListing {
        try await queue.run { try LogListing(LogFolder(path: logs, keys: encryption)) }
    }

    private func checkFolder(_ scratch: ScratchFolder, _ report: inout CheckReport) async throws -> BaselineFiles? {
        let listing: LogListing
        do {
            listing = try await list()
        } catch let error as SegmentError {
            report.add(
                .logsUnreadable,
                detail: "The log folder cannot be read: \(error.reason).",
                file: error.file,
                hint: "tributaryctl status"
            )
            report.comparison = .impossible(.logsUnreadable, "The log folder cannot be read.")
            return nil
        }
        let state: CheckedState
        do {
            state = try await readState(scratch)
        } catch let error as StoreError where error.isDamage {
            report.comparison = .impossible(.storeDamaged, "The store's file is damaged.")
            return nil
        }
        var known = await queue.run {
            KnownBaselines().reading(listing.baselines, in: listing.logs, trusting: (trust, store))
        }
        let endorsed = known.covered
        if state.hasHole(besides: known, listing: listing) {
            known = known.endorsing(try await compare(known, listing.logs, &report))
        }
        let (baselines, started) = (known, report)
        report = try await queue.run { try audit(listing, baselines, endorsed, state, scratch, started) }
        return listing.baselines
    }

    /// Returns the baselines that do not differ from this store, the greatest first.
    ///
    /// Baselines that they cover are not compared, because each comparison is as costly as in ``BaselineVerifier``.
    private func compare(
        _ known: KnownBaselines,
        _ logs: LogFolder,
        _ report: inout CheckReport
    ) async throws -> [KnownBaseline] {
        let segments = AppliedSegments(logs: logs, store: store, trust: trust)
        let verifier = BaselineVerifier(segments: segments, cancellation: cancellation) {
            progress("comparison", $0, nil)
        }
        var (sound, steps): ([KnownBaseline], [CompactionReport.Step]) = ([], [])
        for baseline in known.baselines.values.greatestFirst where !sound.contains(where: { $0.covers(baseline) }) {
            let name = baseline.name
            guard baseline.modelHash == store.modelHash else {
                steps.append(.waits(ComparisonRule.otherModel, for: name))
                continue
            }
            do {
                switch try await store.readAside({ try verifier.verify(baseline, $0, against: nil) }).verdict {
                case .sound:
                    sound.append(baseline)
                    steps.append(.verified(name))
                case .open(let reason): steps.append(.waits(reason, for: name))
                case .differs(let difference):
                    steps.append(.differs(name))
                    report.add(
                        .baselinesDiffer,
                        detail: "The baseline \(name.path) has another state for the same transactions: \(difference)",
                        writer: name.writer,
                        file: "\(logs.path)/\(name.path)",
                        hint: "Check the machine that made it, too. To rebuild this store: \(rebuilding)"
                    )
                }
            } catch let error where error is SegmentError || error is StoreError {
                steps.append(.waits(ErrorText.text(of: error), for: name))
            }
        }
        report.baselines = steps
        return sound
    }

    private func readState(_ scratch: ScratchFolder) async throws -> CheckedState {
        let folder = scratch.file("logs")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        return try await store.readAside { reader in
            try CheckedState(reader, scratch: folder) { progress("digest", $0, nil) }
        }
    }

    private func audit(
        _ listing: LogListing,
        _ knownBaselines: KnownBaselines,
        _ endorsed: VersionVector,
        _ state: CheckedState,
        _ scratch: ScratchFolder,
        _ report: CheckReport
    ) throws -> CheckReport {
        let (rebuild, obstacle) = opened(scratch)
        let total = Int64(listing.count)
        var report = report
        let refusal = try repairs ? makeFolder(in: listing.logs, &report) : nil
        let own = try LogFolder(path: scratch.file("logs"))
        var audit = FolderAudit(
            listing: listing,
            state: state,
            covered: knownBaselines.covered,
            endorsed: endorsed,
            claimed: knownBaselines.claimed,
            bases: state.bases(knownBaselines, listing: listing),
            trust: (trust, store),
            rebuild: rebuild,
            scratch: own,
            report: report,
            republish: !repairs
                ? nil
                : { name, sha256 in
                    if let refusal { throw refusal }
                    return try republish(name, sha256: sha256, in: listing.logs, comparedIn: own)
                },
            rebuilding: rebuilding
        ) { count in
            if cancellation.isCancelled { throw CancellationError() }
            progress("segments", Int64(count), total)
        }
        audit.addUntrusted(knownBaselines)
        try audit.run()
        report = audit.report
        guard let rebuild, audit.obstacle == nil else {
            report.comparison = audit.obstacle ?? .impossible(.scratchUnusable, obstacle ?? "")
            return report
        }
        let rebuilt: String
        do {
            rebuilt = try rebuild.digest { progress("comparison", $0, nil) }
        } catch let error as StoreError {
            report.comparison = .impossible(.scratchUnusable, "The new store cannot be read: \(error).")
            return report
        }
        if rebuilt == state.digest {
            report.comparison = .equal(digest: rebuilt)
            return report
        }
        report.comparison = .different(digest: state.digest, rebuilt: rebuilt)
        report.add(
            .digestDiffers,
            detail: "A store that was rebuilt from the log folder has the digest \(rebuilt), but this store has "
                + "\(state.digest), for the same transactions.",
            file: store.configuration.path,
            hint: "Make a backup, stop the daemon, and rebuild the store: \(rebuilding)"
        )
        return report
    }

    private func opened(_ scratch: ScratchFolder) -> (store: ScratchRebuild?, obstacle: String?) {
        do {
            // It becomes about as large as the live store.
            try scratch.demandRoom(forCopyOf: store.configuration.path)
            return (ScratchRebuild(store: try open(store.scratchConfiguration(in: scratch))), nil)
        } catch {
            return (nil, "A new store cannot be built beside this one: \(error).")
        }
    }

    /// Makes the lost folder of the store's writer again; returns the reason why nothing can be published there.
    private func makeFolder(in logs: LogFolder, _ report: inout CheckReport) throws -> FolderAudit.Refusal? {
        func refusal(_ reason: String, _ hint: String) -> FolderAudit.Refusal {
            .init(reason: "It was not published again: \(reason).", hint: hint, isFailure: true)
        }
        do {
            if try store.read({ try LostFolder(in: logs, $0).make() }) {
                report.repairs.append("The folder of this store's writer, which was lost, was made again.")
            }
        } catch let error as SegmentError {
            return refusal(error.description, FolderAudit.writingHint)
        }
        guard let writer = try store.read({ try LostFolder(in: logs, $0).lacking }) else { return nil }
        let hint = "\(Problem.mountHint("\(logs.path)/\(writer)")) && \(FolderAudit.repair)"
        return refusal("\(logs.path) has nothing of this store, and may be the place of an unmounted share", hint)
    }

    /// Publishes an own segment again if the outbox still gives the same bytes, which are compared in `scratch` first.
    private func republish(
        _ name: SegmentName,
        sha256: String,
        in logs: LogFolder,
        comparedIn scratch: LogFolder
    ) throws -> Bool {
        guard let range = try store.read({ try $0.outbox.export(of: name.writer, beginningAt: name.first) }),
            range.last == name.last
        else { return false }
        func publish(in folder: LogFolder) throws -> Bool {
            try folder.publish(name, header: range.header, signedBy: trust.key, replaces: true) { file in
                try store.read { try $0.outbox.forEachPiece(of: range, file.append) }
            }.sha256 == sha256
        }
        return try publish(in: scratch) && publish(in: logs)
    }
}
