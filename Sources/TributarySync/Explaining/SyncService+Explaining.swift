package import TransactionLog
package import TributaryAdmin
package import TributaryChanges
package import TributaryStore

// This folder explains a segment to an administrator: the awaited transactions and blobs, the writers that have them,
// and the baselines that cover the segment.

extension SyncService {
    package func knownTransactions(_ records: [WriterRecord]) -> KnownTransactions {
        var known = KnownTransactions(records)
        state.read { known.add($0.planner) }
        return known
    }

    package func missingParts(of writer: UniqueID, _ known: KnownTransactions) -> [MissingPart] {
        let wall = environment.wall
        guard let status = state.read({ $0.planner.status(ofGapOf: writer, wall: wall) }) else { return [] }
        return status.waitingFor.map { MissingPart($0, of: status, known) }
    }

    /// Also explains a segment that is missing or that only a baseline covers; nil for an unknown writer.
    package func explanation(of name: SegmentName) async throws -> SegmentsMessage.Segment? {
        let records = try environment.store.read { try $0.writers.all() }
        let (planner, wall) = (state.read(\.planner), environment.wall)
        var known = KnownTransactions(records)
        known.add(planner)
        var isMissing = false
        var found = try await segment(name)
        if found == nil, let unlisted = try unlisted(name, known, planner) {
            (found, isMissing) = (unlisted.status, unlisted.isMissing)
        }
        guard let status = found else { return nil }
        var explanation = SegmentsMessage.Segment(status)
        if isMissing { (explanation.state, explanation.file) = ("missing", nil) }
        explanation.writerName = known.name(of: name.writer)
        explanation.reason = explanation.reason.map(known.naming)
        var missing = status.waitingFor.map { MissingPart($0, of: status, known) }
        let folder = LogFolderSearch(configuration: state.configuration)
        let isThere = status.state == .applied ? await deferrals.search { folder.has(name) } ?? nil : nil
        var notes = [known.decision(about: name.writer)].compactMap(\.self)
        if status.state == .applied {
            notes += [known.note(on: status, isThere: isThere, isOwn: name.writer == planner.own)].compactMap(\.self)
        } else if let first = status.waitingFor.first {
            notes += [known.joining(first, planner, wall: wall)].compactMap(\.self)
        }
        explanation.notes = notes.isEmpty ? nil : notes
        let hint = await addHolders(to: &missing, known, folder)
        explanation.hint = explanation.hint ?? hint
        explanation.missing = missing.isEmpty ? nil : missing
        return explanation
    }

    private func addHolders(
        to missing: inout [MissingPart],
        _ known: KnownTransactions,
        _ folder: LogFolderSearch
    ) async -> String? {
        let blobs = missing.compactMap(\.blob)
        guard !blobs.isEmpty, let found = await deferrals.search({ folder.writers(withBlobs: blobs) }) else {
            return nil
        }
        var hint: String?
        for index in missing.indices {
            guard let sha256 = missing[index].blob else { continue }
            let writer = missing[index].writer
            let others = found[sha256] ?? []
            for other in others where other != writer {
                let holder = MissingPart.Holder(writer: other, name: known.name(of: other), cause: "file")
                missing[index].holders.append(holder)
            }
            guard hint == nil, let other = others.first(where: { $0 != writer }) else { continue }
            let (from, to) = (
                "\(folder.configuration.logs)/\(other)/blobs/\(sha256)", "\(folder.configuration.logs)/\(writer)/blobs/"
            )
            hint = "If the file is whole, the segment may take it from there: cp \(from) \(to)"
        }
        return hint
    }

    private func unlisted(
        _ name: SegmentName,
        _ known: KnownTransactions,
        _ planner: ImportPlanner
    ) throws -> (status: SegmentStatus, isMissing: Bool)? {
        guard known.isKnown(name.writer), name.isPossible else { return nil }
        let position = known.position(of: name.writer)
        guard position >= name.last else {
            let from = max(name.first, position.addingSaturating(1))
            let remedy = planner.remedy(forMissing: from, of: name.writer)
            var status = SegmentStatus(
                id: name,
                state: .waiting,
                reason:
                    "The log folder does not have this file. The transactions of this writer are applied up to \(position).",
                hint: "Check that the writer's segments arrive. \(remedy)"
            )
            status.waitingFor = [.transactions(writer: name.writer, from: from, through: name.last)]
            return (status, true)
        }
        let record = try environment.store.read { try $0.writers.segment(writer: name.writer, holding: name.first) }
        let source = record?.name.fileName
        let reason =
            if let source { "Its transactions were applied from \(source)." } else {
                "Its transactions are in the store, from a baseline or from segments with other bounds."
            }
        return (SegmentStatus(id: name, state: .applied, reason: reason), false)
    }
}

extension KnownTransactions {
    fileprivate func decision(about writer: UniqueID) -> String? {
        switch record(of: writer)?.state {
        case .abandoned: "Its writer is abandoned: nothing waits for its missing transactions."
        case .evicted: "Its writer is evicted: nothing waits for its acknowledgements."
        case nil: nil
        }
    }

    fileprivate func note(on applied: SegmentStatus, isThere: Bool?, isOwn: Bool) -> String? {
        let isGone = isThere == false
        let gone = "Its file is no longer in the log folder"
        guard let baseline = baseline(with: applied.id.last, of: applied.id.writer) else {
            return isGone ? "\(gone). To see what is missing: tributaryctl check" : nil
        }
        guard !isGone else { return "\(gone); the verified baseline \(baseline.name.path) has it." }
        let has = "The verified baseline \(baseline.name.path) has it."
        return isOwn ? "\(has) To see what its file waits for: tributaryctl compact --dry-run" : has
    }

    fileprivate func joining(_ dependency: UnmetDependency, _ planner: ImportPlanner, wall: WallTime) -> String? {
        guard case .transactions(let writer, let from, _) = dependency,
            let baseline = baseline(with: from, of: writer)
        else { return nil }
        let has = "The verified baseline \(baseline.name.path) has the missing transactions."
        if let refusal = planner.baselines.refused[baseline] { return "\(has) It is not joined: \(refusal.reason)." }
        guard let since = planner.baselines.gapSince else { return has }
        let due = since.due(after: planner.limits.incompleteGrace, at: wall)
        let rest = due.duration(since: wall).words
        return "\(has) This store joins it when they have been missing for watch.incomplete_grace, in \(rest)."
    }
}

extension MissingPart {
    init(_ dependency: UnmetDependency, of segment: SegmentStatus, _ known: KnownTransactions) {
        let (writer, sequence) =
            switch dependency {
            case .transactions(let writer, let from, _): (writer, from)
            // A writer that has applied the segment had its blobs.
            case .blob(let writer, _): (writer, segment.id.last)
            }
        let name = known.name(of: writer)
        // The writer itself comes first.
        let holders = known.holders(of: sequence, of: writer).map { holder in
            Holder(writer: holder, name: known.name(of: holder), cause: "applied")
        }
        self.init(
            writer: writer,
            writerName: name,
            holders: [Holder(writer: writer, name: name, cause: "wrote")] + holders
        )
        switch dependency {
        case .transactions(_, let from, let through): (first, last) = (from, through)
        case .blob(_, let sha256): blob = sha256
        }
    }
}

/// A lookup may hang on a broken share.
struct LogFolderSearch: Sendable {
    let configuration: SyncConfiguration

    private static let folders = 1_000

    /// Nil when the file system does not answer.
    func has(_ name: SegmentName) -> Bool? {
        do throws(SegmentError) {
            _ = try configuration.openLogs().open(name)
            return true
        } catch {
            return error.kind == .missing ? false : nil
        }
    }

    /// O(b · w) for b blobs.
    func writers(withBlobs blobs: [String]) -> [String: [UniqueID]] {
        guard let logs = try? configuration.openLogs(), let writers = try? logs.writers().sorted() else { return [:] }
        let folders = writers.prefix(LogFolderSearch.folders)
        var found: [String: [UniqueID]] = [:]
        for blob in blobs where isSHA256(blob) {
            found[blob] = folders.filter { FileAttributes("\($0)/blobs/\(blob)", in: logs) != nil }
        }
        return found
    }
}
