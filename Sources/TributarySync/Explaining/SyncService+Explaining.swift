package import TransactionLog
package import TributaryChanges
package import TributaryStore

extension SyncService {
    /// The transactions that are known to exist.
    package func knownTransactions(_ records: [WriterRecord]) -> KnownTransactions {
        var known = KnownTransactions(records)
        state.read { known.add($0.planner) }
        return known
    }

    /// The transactions and blobs for which the first waiting segment of a writer waits, with their holders.
    package func missingParts(of writer: UniqueID, _ known: KnownTransactions) -> [MissingPart] {
        let wall = environment.wall
        guard let status = state.read({ $0.planner.status(ofGapOf: writer, wall: wall) }) else { return [] }
        return status.waitingFor.map { MissingPart($0, of: status, known) }
    }

    /// All that is known of a segment, also of one that is missing or that only a baseline has; nil when nobody knows
    /// its writer.
    package func explanation(of name: SegmentName) async throws -> SegmentExplanation? {
        let records = try environment.store.read { try $0.writers.all() }
        let (planner, wall) = (state.read(\.planner), environment.wall)
        var known = KnownTransactions(records)
        known.add(planner)
        let found = try await segment(name).map { SegmentExplanation($0) }
        guard var explanation = try found ?? unlisted(name, known) else { return nil }
        let status = explanation.status
        explanation.writerName = known.name(of: name.writer)
        explanation.missing = status.waitingFor.map { MissingPart($0, of: status, known) }
        let notes = SegmentNotes(
            known: known,
            baselines: planner.baselines,
            wall: wall,
            grace: planner.limits.incompleteGrace
        )
        let folder = LogFolderSearch(path: state.configuration.logs)
        let isThere = status.state == .applied ? await deferrals.search { folder.has(name) } ?? nil : nil
        explanation.notes = notes.notes(status, isThere: isThere, isOwn: name.writer == planner.own)
        await addBlobs(to: &explanation, known, folder)
        return explanation
    }

    /// Adds the folders that have the missing blobs under another writer.
    private func addBlobs(
        to explanation: inout SegmentExplanation,
        _ known: KnownTransactions,
        _ folder: LogFolderSearch
    ) async {
        let blobs = explanation.missing.compactMap { part -> String? in
            guard case .blob(_, let sha256) = part.dependency else { return nil }
            return sha256
        }
        guard !blobs.isEmpty, let found = await deferrals.search({ folder.writers(withBlobs: blobs) }) else { return }
        for index in explanation.missing.indices {
            guard case .blob(let writer, let sha256) = explanation.missing[index].dependency else { continue }
            let others = found[sha256] ?? []
            for other in others where other != writer {
                let holder = MissingPart.Holder(writer: other, name: known.name(of: other), cause: .file)
                explanation.missing[index].holders.append(holder)
            }
            guard explanation.status.hint == nil, let other = others.first(where: { $0 != writer }) else { continue }
            let (from, to) = ("\(folder.path)/\(other)/blobs/\(sha256)", "\(folder.path)/\(writer)/blobs/")
            explanation.status.hint = "If the file is whole, the segment may take it from there: cp \(from) \(to)"
        }
    }

    /// A segment that is not in the log folder, and that the store has no record of.
    private func unlisted(_ name: SegmentName, _ known: KnownTransactions) throws -> SegmentExplanation? {
        guard known.isKnown(name.writer), name.first > 0, name.first <= name.last else { return nil }
        let position = known.position(of: name.writer)
        guard position >= name.last else {
            var status = SegmentStatus(
                id: name,
                state: .waiting,
                reason:
                    "No such file is in the log folder. Of this writer, transactions are applied up to \(position).",
                hint: "See that the writer's segments arrive. \(ImportPlanner.abandonHint(name.writer))"
            )
            let from = max(name.first, position.addingSaturating(1))
            status.waitingFor = [.transactions(writer: name.writer, from: from, through: name.last)]
            return SegmentExplanation(status, isMissing: true)
        }
        let record = try environment.store.read { try $0.writers.segment(writer: name.writer, holding: name.first) }
        let source = record.map { SegmentName(writer: $0.writer, first: $0.first, last: $0.last).fileName }
        let reason =
            if let source { "Its transactions were applied from \(source)." } else {
                "Its transactions are in the store, from a baseline or from segments with other bounds."
            }
        return SegmentExplanation(SegmentStatus(id: name, state: .applied, reason: reason))
    }
}
