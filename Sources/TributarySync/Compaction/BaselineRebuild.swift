import TransactionLog
import TributaryChanges
import TributaryStore

/// Builds the state at the vector of a baseline in a scratch store: from a verified baseline, when there is one, and the
/// segments after it.
///
/// The segments must be those that the own store has applied. What it lacks is told as a reason.
struct BaselineRebuild {
    struct Obstacle: Error, CustomStringConvertible {
        var description: String
    }

    let rebuild: ScratchRebuild
    let logs: LogFolder
    /// The records of the segments that the own store has applied or exported.
    let applied: (SegmentName) throws -> SegmentRecord?
    /// The segments past the fork of a writer that lead to the vector; nil for a writer without branches.
    let lineOfFork: (UniqueID) -> BaselineFork?
    /// Called before each segment; throws to end the work.
    let step: (Int) throws -> Void

    /// - Throws: ``Obstacle``, ``SegmentError``, ``StoreError``, and what `step` throws.
    func run(to vector: VersionVector, from base: KnownBaseline?) throws {
        let writers = vector.entries.keys.sorted()
        try rebuild.register(writers)
        if let base { try rebuild.join(base, logs: logs) }
        var count = 0
        for writer in writers {
            let names = try logs.fileNames(of: writer).compactMap { SegmentName(writer: writer, fileName: $0) }.sorted()
            let fork = lineOfFork(writer)
            let end = min(fork?.start ?? .max, vector[writer])
            var position = base?.vector[writer] ?? 0
            for name in names where name.first == position.addingSaturating(1) && name.last <= end {
                try step(count)
                try merge(name)
                position = name.last
                count += 1
            }
            // A segment past the fork may have sequences before it too.
            guard position >= min(end, (fork?.segments.first?.first ?? .max) - 1) else {
                throw Obstacle(
                    description:
                        "The log folder lacks the segments of writer \(writer) from transaction \(position + 1) "
                        + "to \(end), with which the state could be built."
                )
            }
            for segment in fork?.segments ?? [] {
                try step(count)
                try merge(segment, of: writer)
                count += 1
            }
        }
    }

    /// Merges a segment of a forked writer unless the baseline has brought it, from the file that has its hash.
    private func merge(_ segment: BaselineFork.Segment, of writer: UniqueID) throws {
        let name = SegmentName(writer: writer, first: segment.first, last: segment.last)
        guard try !rebuild.hasSegment(name, sha256: segment.sha256) else { return }
        let copies = try logs.fileNames(of: writer).filter {
            SegmentFileKind.classify($0, writer: writer) == .conflictCopy(of: name)
        }
        for fileName in [name.fileName] + copies.sorted() {
            guard let file = try? logs.open(fileName: fileName, writer: writer),
                let found = try? SegmentVerifier().verify(file, name: name), found.end.sha256 == segment.sha256
            else { continue }
            return try rebuild.mergePlaced(found, file, through: name.last)
        }
        throw Obstacle(
            description:
                "The log folder lacks the segment \(name.path) with the hash \(segment.sha256), which belongs to a "
                + "branch of that writer's log."
        )
    }

    private func merge(_ name: SegmentName) throws {
        let file = try logs.open(name)
        let segment = try SegmentVerifier().verify(file, name: name)
        if let record = try applied(name), record.sha256 != segment.end.sha256 || record.last != name.last {
            throw Obstacle(description: "\(name.path) is not the segment that this store has applied.")
        }
        try rebuild.merge(segment, file, through: name.last)
        try rebuild.record(segment)
    }
}
