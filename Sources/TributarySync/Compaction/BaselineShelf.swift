package import TransactionLog
import TributaryChanges

/// The baselines of the log folder, and what follows from them together.
///
/// A baseline is verified when the folders of two writers have one with equal bytes. Two baselines of one vector and one
/// model with other bytes are disputed; then neither counts as verified, whoever else agrees with one of them.
package struct BaselineShelf: Hashable, Sendable {
    /// Two baselines of one vector and model with other bytes.
    package struct Dispute: Hashable, Sendable {
        package var first: KnownBaseline
        package var second: KnownBaseline
    }

    package private(set) var baselines: [BaselineName: KnownBaseline] = [:]
    /// The reasons why baselines cannot be read; a replicator may still bring them.
    package private(set) var unreadable: [BaselineName: String] = [:]
    /// The verified baselines, the one with the most transactions first.
    package private(set) var verified: [KnownBaseline] = []
    package private(set) var disputes: [Dispute] = []

    package init(_ baselines: [KnownBaseline] = [], unreadable: [BaselineName: String] = [:]) {
        self.baselines = Dictionary(baselines.map { ($0.name, $0) }) { first, _ in first }
        self.unreadable = unreadable
        compare()
    }

    /// Whether the baselines with these names are known, and all can be read.
    func isCurrent(_ names: [BaselineName]) -> Bool {
        unreadable.isEmpty && names.count == baselines.count && names.allSatisfy { baselines[$0] != nil }
    }

    func isVerified(_ baseline: KnownBaseline) -> Bool { verified.contains { $0.name == baseline.name } }

    /// The greatest verified baseline of a model; nil when there is none.
    func greatestVerified(modelHash: String) -> KnownBaseline? { verified.first { $0.modelHash == modelHash } }

    private struct Point: Hashable {
        var vector: VersionVector
        var modelHash: String
    }

    /// Finds the verified and the disputed baselines; O(n log n) for n baselines, and O(w) for each.
    private mutating func compare() {
        let sorted = baselines.values.sorted { $0.name < $1.name }
        for (_, equal) in Dictionary(grouping: sorted, by: { Point(vector: $0.vector, modelHash: $0.modelHash) }) {
            guard let first = equal.first else { continue }
            if let other = equal.first(where: { $0.sha256 != first.sha256 }) {
                disputes.append(Dispute(first: first, second: other))
            } else if equal.contains(where: { $0.name.writer != first.name.writer }) {
                verified += equal
            }
        }
        disputes.sort { $0.first.name < $1.first.name }
        verified = verified.map { ($0, $0.transactionCount) }
            .sorted { ($1.1, $0.0.name) < ($0.1, $1.0.name) }.map(\.0)
    }
}

extension BaselineShelf {
    /// The shelf with the own baselines that are in the log folder now, published since its last scan or removed.
    ///
    /// - Throws: ``SegmentError`` when the folder cannot be read.
    func withOwn(_ own: UniqueID, in logs: LogFolder) throws(SegmentError) -> BaselineShelf {
        let others = (Array(baselines.keys) + Array(unreadable.keys)).filter { $0.writer != own }
        let names = try logs.fileNames(of: own).compactMap { name -> BaselineName? in
            guard case .baseline(let sequence) = SegmentFileKind.classify(name, writer: own) else { return nil }
            return BaselineName(writer: own, sequence: sequence)
        }
        return reading(others + names, in: logs)
    }

    /// The shelf with these baselines, of which only the unknown ones are read.
    ///
    /// Names are never given to other bytes, so a known baseline is not read again.
    ///
    /// - Parameters:
    ///   - names: The names in the log folder.
    ///   - logs: The log folder.
    /// - Returns: The new shelf.
    func reading(_ names: [BaselineName], in logs: LogFolder) -> BaselineShelf {
        var found: [KnownBaseline] = []
        var unreadable: [BaselineName: String] = [:]
        for name in names {
            if let known = baselines[name] {
                found.append(known)
                continue
            }
            do throws(SegmentError) {
                let file = try logs.open(fileName: name.fileName, writer: name.writer)
                let known = KnownBaseline(name: name, try BaselineOutline.read(file))
                guard known.vector[name.writer] == name.sequence else {
                    unreadable[name] = "its name is not the last transaction of its writer in it"
                    continue
                }
                found.append(known)
            } catch {
                if error.kind != .missing { unreadable[name] = error.reason }
            }
        }
        return BaselineShelf(found, unreadable: unreadable)
    }
}
