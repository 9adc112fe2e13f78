import Glibc
package import TransactionLog
package import TributaryChanges
import TributaryStore

struct BaselineFiles: Hashable, Sendable {
    var baselines: [BaselineName] = []
    var comparisons: [BaselineComparison.Name] = []
}

/// The baselines in the log folder, their comparisons by stores, and the conclusions from both.
///
/// A baseline is verified when a store has compared it with its own state and endorses it, even if another store objects.
struct KnownBaselines: Hashable, Sendable {
    struct Objection: Hashable, Sendable {
        var baseline: KnownBaseline
        var store: UniqueID
        var difference: String
    }

    struct Refusal: Hashable, Sendable {
        var reason: String
        var isIncomplete: Bool
        var since: WallTime
        var untrusted: UntrustedFile?
        var isLocked = false
        /// The last transaction of each writer that the file claims to contain; nil when its first lines are unreadable.
        var vector: VersionVector?

        /// If the lines cannot be read, the name still contains the last transaction of the maker.
        func vector(of name: BaselineName) -> VersionVector { vector ?? VersionVector([name.writer: name.sequence]) }

        var sentence: String { reason.hasSuffix(".") ? reason : reason + "." }

        var hint: String {
            if let untrusted {
                if untrusted.isRevoked {
                    return
                        "Its key was revoked. Remove the file, unless a store lacks transactions that only this file has. "
                        + "Then write them into a baseline first, on a trusted machine that has them: tributaryctl compact"
                }
                guard let key = untrusted.key else {
                    return "Remove the file, or wait until its machine has signed the file."
                }
                return
                    "Remove the file, unless \(untrusted.condition); then: "
                    + "tributaryctl writer trust \(untrusted.store) --key \(key)"
            }
            if isLocked { return SegmentError.keyHint }
            return isIncomplete
                ? "Wait until the replicator has brought the whole file."
                : "Copy it again from a machine that has the whole file."
        }
    }

    private(set) var baselines: [BaselineName: KnownBaseline] = [:]
    /// The unusable baselines; the replicator may bring a good file later.
    private(set) var refused: [BaselineName: Refusal] = [:]
    private(set) var refusedComparisons: [BaselineComparison.Name: Refusal] = [:]
    private(set) var comparisons: [BaselineComparison.Name: BaselineComparison] = [:]
    /// Greatest number of transactions first.
    private(set) var verified: [KnownBaseline] = []
    private(set) var unverified: [KnownBaseline] = []
    private(set) var objections: [Objection] = []
    /// The files of the last reading, by path; each file is read once.
    private(set) var marks: [String: FileAttributes] = [:]

    init(
        _ baselines: [KnownBaseline] = [],
        _ comparisons: [BaselineComparison] = [],
        refused: [BaselineName: Refusal] = [:],
        refusedComparisons: [BaselineComparison.Name: Refusal] = [:],
        marks: [String: FileAttributes] = [:]
    ) {
        self.baselines = Dictionary(baselines.map { ($0.name, $0) }) { first, _ in first }
        self.comparisons = Dictionary(comparisons.map { ($0.name, $0) }) { first, _ in first }
        (self.refused, self.refusedComparisons, self.marks) = (refused, refusedComparisons, marks)
        compare()
    }

    func endorsing(_ baselines: [KnownBaseline]) -> KnownBaselines {
        var new = self
        let endorsed = Set(verified + baselines)
        new.verified = endorsed.greatestFirst
        new.unverified.removeAll(where: endorsed.contains)
        return new
    }

    func isVerified(_ baseline: KnownBaseline) -> Bool { verified.contains { $0.name == baseline.name } }

    /// Their baseline is not endorsed, and their key is not revoked.
    var missedComparisons: [BaselineComparison.Name: Refusal] {
        let endorsed = Set(verified.map(\.name))
        return refusedComparisons.filter {
            !endorsed.contains($0.key.baseline) && $0.value.untrusted?.isRevoked != true
        }
    }

    func isTaken(_ name: BaselineName) -> Bool { baselines[name] != nil || refused[name] != nil }

    /// The last transaction of each writer that a verified baseline contains; older segments may be removed.
    var covered: VersionVector { KnownBaselines.last(of: verified) }

    var claimed: VersionVector { KnownBaselines.last(of: Array(baselines.values)) }

    private static func last(of baselines: [KnownBaseline]) -> VersionVector {
        baselines.reduce(into: VersionVector()) { covered, baseline in
            for (writer, sequence) in baseline.vector.entries { covered[writer] = max(covered[writer], sequence) }
        }
    }

    /// None of them covers another.
    func bases(of vector: VersionVector, except unusable: Set<BaselineName> = []) -> [KnownBaseline] {
        verified.filter { vector.covers($0.vector) && !unusable.contains($0.name) }.reduce(into: []) {
            bases,
            baseline in
            if !bases.contains(where: { $0.covers(baseline) }) { bases.append(baseline) }
        }
    }

    /// The writers that have found a difference between their own baseline and the log folder.
    var selfContradicted: Set<UniqueID> {
        Set(objections.filter { $0.baseline.name.writer == $0.store }.map(\.store))
    }

    func objection(to baseline: KnownBaseline) -> String? {
        guard !isVerified(baseline) else { return nil }
        return objections.first { $0.baseline.name == baseline.name }.map {
            "Writer \($0.store) has another state: \($0.difference)"
        }
    }

    func comparison(of baseline: KnownBaseline, by writers: [UniqueID]) -> BaselineComparison? {
        writers.lazy.compactMap { self.comparisons[BaselineComparison.Name(writer: $0, of: baseline.name)] }
            .first { $0.sha256 == baseline.sha256 }
    }

    // MARK: Conclusions

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
        verified = endorsed.greatestFirst
        unverified = baselines.values.filter { !endorsed.contains($0) }.greatestFirst
    }

    // MARK: Changes

    /// Marks a baseline as unusable until its file changes.
    func refusing(_ name: BaselineName, _ refusal: Refusal) -> KnownBaselines {
        var new = self
        new.baselines[name] = nil
        new.refused[name] = refusal
        new.compare()
        return new
    }
}

extension KnownBaselines {
    /// Whether the files with these names have not changed since they were read; costs one lookup for each file.
    func isCurrent(_ files: BaselineFiles, in logs: LogFolder) -> Bool {
        let paths = files.baselines.map(\.path) + files.comparisons.map(\.path)
        return files.baselines.count == baselines.count + refused.count
            && files.comparisons.count == comparisons.count + refusedComparisons.count
            && paths.allSatisfy { path in marks[path].map { $0 == FileAttributes(path, in: logs) } ?? false }
    }

    /// Reads only the first and last lines of a baseline; ignores an unreadable comparison, and reads it again later.
    func reading(
        _ files: BaselineFiles,
        in logs: LogFolder,
        _ control: ImportControl = ImportControl(),
        trusting trust: (keys: StoreTrust, store: Store)? = nil,
        wall: WallTime = .epoch
    ) -> KnownBaselines {
        var new = KnownBaselines()
        for name in files.baselines {
            let former = refused[name]
            if let mark = marks[name.path], mark == FileAttributes(name.path, in: logs) {
                (new.marks[name.path], new.baselines[name], new.refused[name]) = (mark, baselines[name], former)
                continue
            }
            do throws(SegmentError) {
                let file = try logs.open(fileName: name.fileName, writer: name.writer)
                new.marks[name.path] = try FileAttributes(of: file)
                let summary = try BaselineSummary.read(MeteredBytes(file, control))
                let known = KnownBaseline(
                    name: name,
                    modelHash: summary.header.modelHash,
                    vector: VersionVector(summary.writers),
                    sha256: summary.sha256,
                    bytes: summary.bytes
                )
                guard known.vector[name.writer] == name.sequence else {
                    let reason = "its name is not the last transaction of its writer in it"
                    throw SegmentError(.rejected, file: file.file, reason: reason)
                }
                if let trust, let untrusted = try KnownBaselines.doubt(about: summary, name, file.file, trust) {
                    new.refused[name] = Refusal(untrusted, former: former, wall: wall, vector: known.vector)
                } else {
                    new.baselines[name] = known
                }
            } catch {
                if error.kind == .missing { continue }
                new.refused[name] = KnownBaselines.refusal(error, former: former, wall: wall)
                if !error.isOfContent { new.marks[name.path] = nil }
            }
        }
        for name in files.comparisons {
            guard let mark = FileAttributes(name.path, in: logs) else { continue }
            let (known, former) = (comparisons[name], refusedComparisons[name])
            if marks[name.path] == mark, known != nil || former != nil {
                (new.comparisons[name], new.refusedComparisons[name]) = (known, former)
            } else {
                do {
                    let read = try BaselineComparison.read(name, in: logs)
                    let doubt = try trust.flatMap { keys, store in try store.read { try keys.refusal(of: read, $0) } }
                    new.refusedComparisons[name] = doubt.map { Refusal($0, former: former, wall: wall) }
                    if doubt == nil { new.comparisons[name] = read }
                } catch let error as SegmentError where error.kind == .locked {
                    new.refusedComparisons[name] = KnownBaselines.refusal(error, former: former, wall: wall)
                } catch {
                    continue
                }
            }
            new.marks[name.path] = mark
        }
        new.compare()
        return new
    }

    func proving(_ baseline: KnownBaseline, in logs: LogFolder, wall: WallTime) throws(SegmentError) -> KnownBaselines {
        do throws(SegmentError) {
            _ = try KnownBaselines.demandWhole(baseline, in: logs)
            return self
        } catch {
            guard error.isOfContent || error.kind == .changed else { throw error }
            return refusing(baseline.name, KnownBaselines.refusal(error, former: nil, wall: wall))
        }
    }

    /// Reads a baseline completely; throws unless its bytes have the hash in its end line.
    @discardableResult
    static func demandWhole(
        _ baseline: KnownBaseline,
        in logs: LogFolder,
        _ control: ImportControl = ImportControl()
    ) throws(SegmentError) -> VerifiedBaseline {
        let file = try logs.open(baseline, control)
        let whole = try VerifiedBaseline.verify(file)
        guard whole.end.sha256 == baseline.sha256, whole.header.modelHash == baseline.modelHash,
            VersionVector(whole.writers) == baseline.vector
        else { throw SegmentError(.changed, file: file.file, reason: "the baseline was replaced") }
        return whole
    }

    func withOwn(
        _ own: UniqueID,
        in logs: LogFolder,
        trusting trust: (keys: StoreTrust, store: Store),
        wall: WallTime
    ) throws(SegmentError) -> KnownBaselines {
        var files = BaselineFiles(
            baselines: (Array(baselines.keys) + Array(refused.keys)).filter { $0.writer != own },
            comparisons: (Array(comparisons.keys) + Array(refusedComparisons.keys)).filter { $0.writer != own }
        )
        for name in try logs.fileNames(of: own) { files.add(name, of: own) }
        return reading(files, in: logs, trusting: trust, wall: wall)
    }

    private static func doubt(
        about summary: BaselineSummary,
        _ name: BaselineName,
        _ file: String,
        _ trust: (keys: StoreTrust, store: Store)
    ) throws(SegmentError) -> UntrustedFile? {
        do {
            return try trust.store.read { try trust.keys.refusal(of: summary, name, $0) }
        } catch {
            throw SegmentError(.inputOutput(EIO), file: file, reason: ErrorText.text(of: error))
        }
    }

    static func refusal(_ error: SegmentError, former: Refusal?, wall: WallTime) -> Refusal {
        let position = error.line.map { "line \($0): " } ?? ""
        let isIncomplete = error.kind == .incomplete || error.kind == .changed
        let since = former?.isIncomplete == isIncomplete ? former?.since ?? wall : wall
        let isLocked = error.kind == .locked
        return Refusal(reason: position + error.reason, isIncomplete: isIncomplete, since: since, isLocked: isLocked)
    }
}

extension KnownBaselines.Refusal {
    fileprivate init(_ untrusted: UntrustedFile, former: Self?, wall: WallTime, vector: VersionVector? = nil) {
        let since = former?.since ?? wall
        self.init(reason: untrusted.reason, isIncomplete: false, since: since, untrusted: untrusted, vector: vector)
    }
}

extension BaselineFiles {
    mutating func add(_ name: String, of writer: UniqueID) {
        switch SegmentFileKind.classify(name, writer: writer) {
        case .baseline(let sequence): baselines.append(BaselineName(writer: writer, sequence: sequence))
        case .comparison(let baseline): comparisons.append(BaselineComparison.Name(writer: writer, of: baseline))
        case .segment, .conflictCopy, .misnamed, .ignored: break
        }
    }
}

extension LogFolder {
    func open(_ baseline: KnownBaseline, _ control: ImportControl) throws(SegmentError) -> MeteredBytes<OpenFile> {
        MeteredBytes(try open(fileName: baseline.name.fileName, writer: baseline.name.writer), control)
    }
}

package struct KnownBaseline: Hashable, Sendable {
    package var name: BaselineName
    package var modelHash: String
    package var vector: VersionVector
    package var sha256: String
    package var bytes: UInt64

    func covers(_ other: KnownBaseline) -> Bool { vector.covers(other.vector) }

    func dominates(_ other: KnownBaseline) -> Bool { vector != other.vector && covers(other) }

    fileprivate var transactionCount: UInt64 { vector.entries.reduce(0) { $0.addingSaturating($1.value) } }
}

extension Collection<KnownBaseline> {
    var greatestFirst: [KnownBaseline] {
        map { ($0, $0.transactionCount) }.sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.map(\.0)
    }
}

extension VersionVector {
    init(_ writers: [BaselineWriter]) {
        self.init(Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first })
    }

    func covers(_ other: VersionVector) -> Bool { other.entries.allSatisfy { self[$0.key] >= $0.value } }
}
