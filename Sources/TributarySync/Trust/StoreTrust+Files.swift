import TransactionLog
import TributaryChanges
import TributaryStore

extension StoreTrust {
    /// The reason why a segment is not applied; nil when it may be.
    ///
    /// A writer that is known is the store's that it was at first, whatever the header says now.
    func refusal(of segment: VerifiedSegment, in store: Store) throws -> SegmentSummary.Untrusted? {
        let (writer, signature) = (segment.name.writer, segment.end.signature)
        let text = SignedText.of(segment.name.path, segment.end.sha256)
        let label = try label(of: writer, segment.header.incarnation.store, in: store)
        guard let reason = refusal(label, signature, of: text, in: store) else { return nil }
        let isValid = signature?.isValid(of: text) ?? false
        return SegmentSummary.Untrusted(reason: reason, store: label, key: isValid ? signature?.key : nil)
    }

    func refusal(of baseline: BaselineSummary, _ name: BaselineName, in store: Store) throws -> String? {
        let claimed = baseline.writers.first { $0.id == name.writer }?.incarnation.store
        let label = try label(of: name.writer, claimed, in: store)
        return refusal(label, baseline.signature, of: SignedText.of(name.path, baseline.sha256), in: store)
    }

    func refusal(of comparison: BaselineComparison, in store: Store) throws -> String? {
        let label = try label(of: comparison.name.writer, comparison.store, in: store)
        return refusal(label, comparison.signature, of: comparison.signedText, in: store)
    }

    private func label(of writer: UniqueID, _ claimed: UniqueID?, in store: Store) throws -> UniqueID {
        guard mode == .known else { return writer }
        return try store.read { try $0.writers.record(of: writer)?.store } ?? claimed ?? writer
    }

    private func refusal(
        _ label: UniqueID,
        _ signature: Signature?,
        of text: [UInt8],
        in store: Store
    ) -> String? {
        refusal(label, signature, of: text, at: store.configuration.environment.wallTime())
    }
}
