import TransactionLog
import TributaryChanges

/// The names of the baselines in a log folder, and of what stores have found in them.
struct BaselineFiles: Hashable, Sendable {
    var baselines: [BaselineName] = []
    var comparisons: [BaselineComparison.Name] = []
}

/// The baselines of the log folder with what stores have found in them, and what follows from both.
///
/// A baseline is verified when a store has compared it with a state that it has built itself, and endorses it. A store that
/// has found a difference objects; others may endorse it all the same. Whoever joins a baseline, or removes something for
/// it, reads all of its bytes first.
struct BaselineShelf: Hashable, Sendable {
    /// A baseline in which a store has found a difference.
    struct Objection: Hashable, Sendable {
        var baseline: KnownBaseline
        var store: UniqueID
        var difference: String
    }

    struct Refusal: Hashable, Sendable {
        var reason: String
        /// Whether a replicator may still be writing the file.
        var isIncomplete: Bool
        var since: WallTime

        var hint: String {
            isIncomplete
                ? "Wait until the replicator has brought the whole file."
                : "Copy it again from a machine that has it as a whole."
        }
    }

    private(set) var baselines: [BaselineName: KnownBaseline] = [:]
    /// The baselines that cannot be read, or whose bytes are not those of their end line; a replicator may bring
    /// others.
    private(set) var refused: [BaselineName: Refusal] = [:]
    /// What stores have found in baselines.
    private(set) var comparisons: [BaselineComparison.Name: BaselineComparison] = [:]
    /// The verified baselines, the one with the most transactions first.
    private(set) var verified: [KnownBaseline] = []
    private(set) var objections: [Objection] = []
    /// The marks of the files by their paths; each file is read once.
    private var marks: [String: FileAttributes] = [:]

    init(_ baselines: [KnownBaseline] = [], _ comparisons: [BaselineComparison] = []) {
        self.baselines = Dictionary(baselines.map { ($0.name, $0) }) { first, _ in first }
        self.comparisons = Dictionary(comparisons.map { ($0.name, $0) }) { first, _ in first }
        compare()
    }

    func isVerified(_ baseline: KnownBaseline) -> Bool { verified.contains { $0.name == baseline.name } }

    /// Whether the folder has a file of this name, of whatever content.
    func isTaken(_ name: BaselineName) -> Bool { baselines[name] != nil || refused[name] != nil }

    /// The verified baselines with which a state at a vector can begin: none has all of another one.
    func bases(of vector: VersionVector, except unusable: Set<BaselineName> = []) -> [KnownBaseline] {
        verified.filter { vector.covers($0.vector) && !unusable.contains($0.name) }.reduce(into: []) {
            bases,
            baseline in
            if !bases.contains(where: { $0.covers(baseline) }) { bases.append(baseline) }
        }
    }

    /// Why a baseline does not count, as a sentence; nil when it does.
    func objection(to baseline: KnownBaseline) -> String? {
        guard !isVerified(baseline) else { return nil }
        return objections.first { $0.baseline.name == baseline.name }.map {
            "Writer \($0.store) has another state: \($0.difference)"
        }
    }

    /// What one of several writers has found in a baseline; nil when none has compared it.
    func comparison(of baseline: KnownBaseline, by writers: [UniqueID]) -> BaselineComparison? {
        writers.lazy.compactMap { self.comparisons[BaselineComparison.Name(writer: $0, of: baseline.name)] }
            .first { $0.sha256 == baseline.sha256 }
    }

    // MARK: What follows from them

    /// Finds the verified baselines and the objections; O(n log n) for n files.
    private mutating func compare() {
        objections = []
        var endorsed: Set<KnownBaseline> = []
        for comparison in comparisons.values.sorted(by: { $0.name < $1.name }) {
            guard let baseline = baselines[comparison.name.baseline], baseline.sha256 == comparison.sha256 else {
                continue
            }
            if let difference = comparison.difference {
                let store = comparison.name.writer
                objections.append(Objection(baseline: baseline, store: store, difference: difference))
            } else {
                endorsed.insert(baseline)
            }
        }
        verified = endorsed.map { ($0, $0.transactionCount) }
            .sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.map(\.0)
    }

    // MARK: Changes

    func replacing(
        _ baselines: [BaselineName: KnownBaseline],
        refused: [BaselineName: Refusal],
        _ comparisons: [BaselineComparison.Name: BaselineComparison] = [:],
        marks: [String: FileAttributes]
    ) -> BaselineShelf {
        var shelf = BaselineShelf()
        (shelf.baselines, shelf.refused, shelf.comparisons, shelf.marks) = (baselines, refused, comparisons, marks)
        shelf.compare()
        return shelf
    }

    /// The mark of a file when it was read last; nil when it is to be read again.
    func mark(_ path: String) -> FileAttributes? { marks[path] }

    /// The shelf after a baseline could not be used; it counts again when its file is another one.
    func refusing(_ name: BaselineName, _ refusal: Refusal) -> BaselineShelf {
        var shelf = self
        shelf.baselines[name] = nil
        shelf.refused[name] = refusal
        shelf.compare()
        return shelf
    }
}
