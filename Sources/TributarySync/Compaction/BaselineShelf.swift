import TransactionLog
import TributaryChanges

/// The baselines of the log folder, and what follows from them together.
///
/// A baseline is verified when the folders of two writers have one with equal bytes, all of which this program has
/// read. Where baselines of one vector and one model differ, the ones that a single writer has are disputed; when two
/// writers agree on each side, all are. What is disputed says nothing about other vectors.
struct BaselineShelf: Hashable, Sendable {
    /// Two whole baselines of one vector and model with other bytes, the first of which may be a verified one.
    struct Dispute: Hashable, Sendable {
        var first: KnownBaseline
        var second: KnownBaseline

        /// The dispute's baseline of a writer; nil when it has none.
        func baseline(of writer: UniqueID) -> KnownBaseline? {
            [first, second].first { $0.name.writer == writer }
        }
    }

    struct Refusal: Hashable, Sendable {
        var reason: String
        /// Whether a replicator may still be writing the file.
        var isIncomplete: Bool
        var since: WallTime

        var hint: String {
            isIncomplete
                ? "Wait until the replicator has brought the whole file."
                : "Copy it again from its writer, or remove it: its writer makes another one."
        }
    }

    private(set) var baselines: [BaselineName: KnownBaseline] = [:]
    /// The baselines that cannot be read, or whose bytes are not those of their end line; a replicator may bring
    /// others.
    private(set) var refused: [BaselineName: Refusal] = [:]
    /// The verified baselines, the one with the most transactions first.
    private(set) var verified: [KnownBaseline] = []
    private(set) var disputes: [Dispute] = []
    /// The next baseline that is to be read as a whole, because it may be verified or disputed then.
    private(set) var unread: KnownBaseline?
    /// The marks of the files, each of which is read once.
    private var marks: [BaselineName: FileAttributes] = [:]
    /// The proofs that the store has of files that were read as a whole, perhaps by an earlier start.
    private(set) var proofs: [BaselineName: BaselineProof] = [:]

    init(proofs: [BaselineName: BaselineProof]) { self.proofs = proofs }

    init(_ baselines: [KnownBaseline] = []) {
        self.baselines = Dictionary(baselines.map { ($0.name, $0) }) { first, _ in first }
        compare()
    }

    func isVerified(_ baseline: KnownBaseline) -> Bool { verified.contains { $0.name == baseline.name } }

    /// Whether the folder has a file of this name, of whatever content.
    func isTaken(_ name: BaselineName) -> Bool { baselines[name] != nil || refused[name] != nil }

    /// The greatest verified baseline of a model; nil when there is none.
    func greatestVerified(modelHash: String) -> KnownBaseline? { verified.first { $0.modelHash == modelHash } }

    /// Why a baseline is disputed, as a sentence; nil when it is not.
    func objection(to baseline: KnownBaseline) -> String? {
        guard !isVerified(baseline) else { return nil }
        return disputes.first { $0.first.name == baseline.name || $0.second.name == baseline.name }.map { dispute in
            let other = dispute.first.name == baseline.name ? dispute.second : dispute.first
            return "It differs from \(other.name.path). On both machines: tributaryctl compact"
        }
    }

    // MARK: What follows from them

    private struct Point: Hashable {
        var vector: VersionVector
        var modelHash: String
    }

    /// Finds the verified and the disputed baselines, and the next one to read.
    ///
    /// O(n log n) for n baselines, and O(w) for each comparison of ``firstOpen(_:beside:covers:)``.
    private mutating func compare() {
        (verified, disputes, unread) = ([], [], nil)
        var unread: [KnownBaseline] = []
        let sorted = baselines.values.sorted { $0.name < $1.name }
        for (_, equal) in Dictionary(grouping: sorted, by: { Point(vector: $0.vector, modelHash: $0.modelHash) })
        where Set(equal.map(\.name.writer)).count > 1 {
            if let one = equal.first(where: { !$0.isWhole }) { unread.append(one) }
            judge(equal.filter(\.isWhole))
        }
        disputes.sort { ($0.first.name, $0.second.name) < ($1.first.name, $1.second.name) }
        verified = BaselineShelf.greatestFirst(verified)
        self.unread = BaselineShelf.firstOpen(BaselineShelf.greatestFirst(unread), beside: verified) {
            $0.modelHash == $1.modelHash && $0.dominates($1)
        }
    }

    /// The first baseline whose proof somebody needs: no verified one has all of it and more.
    ///
    /// One comparison for each baseline before it and each verified one that is not covered itself, of which there are
    /// more than one only where baselines cross.
    static func firstOpen(
        _ baselines: [KnownBaseline],
        beside verified: [KnownBaseline],
        covers: (KnownBaseline, KnownBaseline) -> Bool
    ) -> KnownBaseline? {
        guard !baselines.isEmpty else { return nil }
        var greatest: [KnownBaseline] = []
        var last: KnownBaseline?
        for baseline in verified {
            // The equal files of several writers are one baseline.
            let isKnown = last.map { $0.sha256 == baseline.sha256 && $0.vector == baseline.vector } ?? false
            if !isKnown, !greatest.contains(where: { covers($0, baseline) }) { greatest.append(baseline) }
            last = baseline
        }
        return baselines.first { one in !greatest.contains { covers($0, one) } }
    }

    /// Judges whole baselines of one vector and model.
    private mutating func judge(_ whole: [KnownBaseline]) {
        let sides = Dictionary(grouping: whole, by: \.sha256).values
        let agreeing = sides.filter { side in Set(side.map(\.name.writer)).count > 1 }
        let right = agreeing.count == 1 ? agreeing.first : nil
        if let right { verified += right }
        guard sides.count > 1, let first = right?.first ?? whole.first else { return }
        for other in whole where other.sha256 != first.sha256 {
            disputes.append(Dispute(first: first, second: other))
        }
    }

    private static func greatestFirst(_ baselines: [KnownBaseline]) -> [KnownBaseline] {
        baselines.map { ($0, $0.transactionCount) }.sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.map(\.0)
    }

    // MARK: Changes

    func replacing(
        _ baselines: [BaselineName: KnownBaseline],
        refused: [BaselineName: Refusal],
        marks: [BaselineName: FileAttributes]
    ) -> BaselineShelf {
        var shelf = BaselineShelf(proofs: proofs)
        (shelf.baselines, shelf.refused, shelf.marks) = (baselines, refused, marks)
        shelf.compare()
        return shelf
    }

    /// The mark of a file when it was read last; nil when it is to be read again.
    func mark(_ name: BaselineName) -> FileAttributes? { marks[name] }

    /// The whole baselines, with the files that were read.
    var provedFiles: [BaselineName: BaselineProof] {
        var found: [BaselineName: BaselineProof] = [:]
        for (name, known) in baselines where known.isWhole {
            found[name] = marks[name].map { BaselineProof(mark: $0, sha256: known.sha256) }
        }
        return found
    }

    /// The shelf after the store has got these proofs.
    func keeping(_ proofs: [BaselineName: BaselineProof]) -> BaselineShelf {
        var shelf = self
        shelf.proofs = proofs
        return shelf
    }

    /// The shelf with the result of reading a baseline as a whole.
    func examined(_ name: BaselineName, refusal: Refusal?, remembers: Bool = true) -> BaselineShelf {
        var shelf = self
        if let refusal {
            shelf.baselines[name] = nil
            shelf.refused[name] = refusal
        } else {
            shelf.baselines[name]?.isWhole = true
        }
        if !remembers { shelf.marks[name] = nil }
        shelf.compare()
        return shelf
    }

    /// The shelf with what another one knows of the same files.
    func learning(from other: BaselineShelf) -> BaselineShelf {
        var shelf = self
        for (name, mark) in other.marks where marks[name] == mark {
            if other.baselines[name]?.isWhole == true { shelf.baselines[name]?.isWhole = true }
            if shelf.baselines[name] != nil, let refusal = other.refused[name] {
                shelf.baselines[name] = nil
                shelf.refused[name] = refusal
            }
        }
        shelf.compare()
        return shelf
    }
}
