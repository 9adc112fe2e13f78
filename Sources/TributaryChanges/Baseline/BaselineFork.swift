/// The branches of a forked writer in a baseline: all of its segments past the fork, which no store removes.
///
/// They form a tree by the hashes that they follow, so that a store that joins the baseline knows each line of the log, and
/// tells every other segment past the fork from those that it has.
package struct BaselineFork: Hashable, Sendable {
    package struct Segment: Hashable, Sendable, Comparable {
        package var first: UInt64
        package var last: UInt64
        /// The hash in its end line.
        package var sha256: String
        /// The hash of the segment before, as its header names it; empty for none.
        package var previous: String

        package init(first: UInt64, last: UInt64, sha256: String, previous: String) {
            (self.first, self.last, self.sha256, self.previous) = (first, last, sha256, previous)
        }

        package static func < (left: Segment, right: Segment) -> Bool {
            (left.first, left.last) == (right.first, right.last)
                ? left.sha256.precedesByBytes(right.sha256) : (left.first, left.last) < (right.first, right.last)
        }

        func follows(_ last: UInt64, _ hash: String?) -> Bool {
            last.addingSaturating(1) == first && (previous.isEmpty || previous == hash)
        }
    }

    /// The last sequence before all branches.
    package var start: UInt64
    /// The segments with later sequences, in order; a segment comes after the one that it follows.
    package var segments: [Segment]

    package init(start: UInt64, segments: [Segment]) {
        self.start = start
        self.segments = segments.sorted()
    }

    /// The hash of the segment with which the common part ends; nil when no segment names it.
    package var stem: String? {
        segments.first { $0.first == start.addingSaturating(1) && !$0.previous.isEmpty }?.previous
    }

    package func contains(_ sha256: String) -> Bool { segments.contains { $0.sha256 == sha256 } }

    /// Whether this fork has all branches of another one of the writer, as far as those reach; O(n).
    package func covers(_ other: BaselineFork) -> Bool {
        start <= other.start && Set(segments.map(\.sha256)).isSuperset(of: other.segments.map(\.sha256))
    }

    /// The segments up to the one with a hash, along its line, in order; nil when there is none with the hash; O(n).
    package func line(to sha256: String) -> [Segment]? {
        guard var segment = segments.first(where: { $0.sha256 == sha256 }) else { return nil }
        var found = [segment]
        for earlier in segments.reversed() where segment.follows(earlier.last, earlier.sha256) {
            segment = earlier
            found.append(earlier)
        }
        return found.reversed()
    }
}

extension BaselineFork {
    /// A line of the log as a store has it.
    package struct Line: Hashable, Sendable {
        /// The hash with which a branch begins; empty for the first line.
        package var branch: String
        package var sequence: UInt64
        package var hash: String?

        package init(branch: String, sequence: UInt64, hash: String?) {
            (self.branch, self.sequence, self.hash) = (branch, sequence, hash)
        }
    }

    /// A segment that a store has from the baseline from now on.
    package struct Addition: Hashable, Sendable {
        package var segment: Segment
        package var branch: String
        package var begins: Bool
        /// Whether its line ends with it now; false for a segment of which the store has the transactions already.
        package var moves: Bool
    }

    /// The greatest number of lines of one writer.
    package static let lineLimit = 16

    /// Finds out how a store takes the branches over.
    ///
    /// - Returns: The additions, in order; empty when the store has all segments; nil when it has something past the fork
    ///   that is not in the baseline, or too many lines.
    package func additions(to lines: [Line], recorded: Set<String>) -> [Addition]? {
        var found: [Addition] = []
        var known = recorded
        let isBefore = lines.allSatisfy { $0.sequence <= start }
        if let stem, lines.contains(where: { $0.sequence == start && start > 0 && $0.hash.map { $0 != stem } ?? false })
        {
            return nil
        }
        let lasts = Dictionary(segments.map { ($0.sha256, $0.last) }) { first, _ in first }
        for line in lines where line.sequence > start {
            guard let hash = line.hash, lasts[hash] == line.sequence else {
                // Whoever has all segments of the baseline needs nothing of it, whatever else it has.
                return segments.allSatisfy { recorded.contains($0.sha256) } ? [] : nil
            }
            for segment in self.line(to: hash) ?? [] where known.insert(segment.sha256).inserted {
                found.append(Addition(segment: segment, branch: line.branch, begins: false, moves: false))
            }
        }
        guard segments.contains(where: { !known.contains($0.sha256) }) else { return [] }
        var lines = lines
        var mayTakeFirst = isBefore
        for segment in segments where !known.contains(segment.sha256) {
            if mayTakeFirst, !lines.isEmpty {
                mayTakeFirst = false
                found.append(Addition(segment: segment, branch: lines[0].branch, begins: false, moves: true))
                (lines[0].sequence, lines[0].hash) = (segment.last, segment.sha256)
            } else if let index = lines.firstIndex(where: { segment.follows($0.sequence, $0.hash) }) {
                found.append(Addition(segment: segment, branch: lines[index].branch, begins: false, moves: true))
                (lines[index].sequence, lines[index].hash) = (segment.last, segment.sha256)
            } else {
                guard lines.count < BaselineFork.lineLimit else { return nil }
                found.append(Addition(segment: segment, branch: segment.sha256, begins: true, moves: true))
                lines.append(Line(branch: segment.sha256, sequence: segment.last, hash: segment.sha256))
            }
        }
        return found
    }
}

extension BaselineFork {
    /// The value of the key `fork`.
    var json: JSONValue {
        let segments = segments.map { segment in
            var members = [
                JSONMember(key: "first", value: .integer(Int64(clamping: segment.first))),
                JSONMember(key: "last", value: .integer(Int64(clamping: segment.last))),
                JSONMember(key: "sha256", value: .string(segment.sha256)),
            ]
            if !segment.previous.isEmpty {
                members.append(JSONMember(key: "previous", value: .string(segment.previous)))
            }
            return JSONValue.object(members)
        }
        return .object([
            JSONMember(key: "after", value: .integer(Int64(clamping: start))),
            JSONMember(key: "segments", value: .array(segments)),
        ])
    }
}
