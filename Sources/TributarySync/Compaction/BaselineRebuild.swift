import TransactionLog
import TributaryChanges
import TributaryStore

/// Builds the state at the vector of a baseline in a scratch store: from verified baselines, when there are any, and the
/// segments after them.
///
/// The segments must be those that the own store has applied. What it lacks is told as a reason.
struct BaselineRebuild {
    struct Obstacle: Error, CustomStringConvertible {
        /// Whether the log folder lacks something, and contradicts nothing.
        var isLack = false
        var description: String
    }

    /// A verified baseline with which the state cannot begin.
    struct UnusableBase: Error {
        var name: BaselineName
        var error: any Error
    }

    let rebuild: ScratchRebuild
    let logs: LogFolder
    /// The records of the segments that the own store has applied or exported.
    let applied: (SegmentName) throws -> SegmentRecord?
    /// Called before each segment; throws to end the work.
    let step: (Int) throws -> Void

    /// - Throws: ``Obstacle``, ``SegmentError``, ``StoreError``, and what `step` throws.
    func run(to vector: VersionVector, from bases: [KnownBaseline]) throws {
        let writers = vector.entries.keys.sorted()
        try rebuild.register(writers)
        for base in bases {
            do {
                try rebuild.join(base, logs: logs)
            } catch  where error is BaselineJoinError || (error as? SegmentError)?.isOfContent == true {
                throw UnusableBase(name: base.name, error: error)
            }
        }
        var count = 0
        for writer in writers {
            let names = try logs.fileNames(of: writer).compactMap { SegmentName(writer: writer, fileName: $0) }.sorted()
            let end = vector[writer]
            var position = bases.map { $0.vector[writer] }.max() ?? 0
            for name in names where name.first <= position.addingSaturating(1) && name.last > position && position < end
            {
                try step(count)
                position = min(name.last, end)
                try merge(name, through: position)
                count += 1
            }
            guard position >= end else {
                throw Obstacle(
                    isLack: true,
                    description:
                        "The log folder lacks the segments of writer \(writer) from transaction \(position + 1) "
                        + "to \(end), with which the state could be built."
                )
            }
        }
    }

    private func merge(_ name: SegmentName, through last: UInt64) throws {
        let file = try logs.open(name)
        let segment = try SegmentVerifier().verify(file, name: name)
        if let record = try applied(name), record.sha256 != segment.end.sha256 {
            throw Obstacle(description: "\(name.path) is not the segment that this store has applied.")
        }
        try rebuild.merge(segment, file, through: last)
        if last == name.last { try rebuild.record(segment) }
    }
}
