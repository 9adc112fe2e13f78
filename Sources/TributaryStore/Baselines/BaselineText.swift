import Dispatch
import GRDB
package import TributaryChanges
import TributaryModel

/// Writes the merge state of a store as the lines of a baseline.
///
/// The lines are a function of the vector and the model: the writers by UUID, then the transactions by clock and
/// writer, each with the changes that still have an effect, then greatest and least values and counters.
package struct BaselineText {
    let reader: Reader

    /// Whether stores with the same transactions may write different acknowledgements; O(w) for each store.
    package var leavesOutSeen: Bool {
        get throws {
            let writers = try reader.writers.all().filter { $0.sequence > 0 }
            let seen = BaselineSeen(writers)
            return Dictionary(grouping: writers, by: \.store).values.contains { seen.mayBeCut($0[0]) }
        }
    }

    /// Calls `write` with each line and its newline, without the end line.
    ///
    /// A temporary file of SQLite sorts all changes, so that memory stays bounded: O(n log n) for n changes.
    package func forEachLine(
        progress: (Int) throws -> Void = { _ in },
        _ write: ([UInt8]) throws -> Void
    ) throws -> BaselineCounts {
        let writers = try reader.writers.all().filter { $0.sequence > 0 }.sorted { $0.id < $1.id }
        let (layout, model) = (reader.context.layout, reader.context.layout.model)
        let header = BaselineHeader(
            model: model.version,
            modelHash: model.versionHash,
            rules: layout.rules(and: try reader.joinedRules),
            writerCount: writers.count
        )
        try write(Array(header.line.utf8) + [UInt8(ascii: "\n")])
        var seen = BaselineSeen(writers)
        for writer in writers {
            let line = BaselineWriter(
                id: writer.id,
                incarnation: writer.incarnation,
                sequence: writer.sequence,
                clock: writer.clock,
                seen: seen.take(writer)
            )
            try write(Array(line.line.utf8) + [UInt8(ascii: "\n")])
        }
        // An empty path is a private file of SQLite that vanishes with the connection, also when the work is given up
        // within a transaction.
        var configuration = Configuration()
        configuration.label = "tributary.sorter"
        configuration.qos = .default
        configuration.allowsUnsafeTransactions = true
        let sorter = try DatabaseQueue(path: "", configuration: configuration)
        return try sorter.writeWithoutTransaction { scratch in
            try scratch.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
            var sorting = try BaselineSorting(scratch)
            var count = 0
            try BaselineState(reader: reader).forEach { item in
                try sorting.insert(item)
                count += 1
                if count & 0x3FF == 0 { try progress(count) }
            }
            var counts = try sorting.forEachLine(write)
            counts.writers = writers.count
            try scratch.execute(sql: "COMMIT")
            return counts
        }
    }
}
