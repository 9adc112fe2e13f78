import TributaryChanges

/// Reads the transactions of a verified segment in batches, in bounded memory.
///
/// Nothing of a slice may be committed before its last batch, which is returned only when the bytes still match.
package final class SegmentReader {
    /// Several batches are in memory at a time, and values can take several times the memory of their line.
    private static let byteLimit: UInt64 = 1 << 20

    private let source: any SegmentBytes
    private let segment: VerifiedSegment
    private let after: UInt64
    private var sliceIndex: Int
    private var lines: SegmentLineReader?
    private let makesRuns: Bool
    private var parser = ChangeLineParser()
    /// `remaining` is the number of its unread changes.
    private var transaction: TransactionHeader?
    private var remaining = 0

    package init(
        _ source: some SegmentBytes,
        segment: VerifiedSegment,
        after sequence: UInt64 = 0,
        makesRuns: Bool = false
    ) {
        self.source = source
        self.makesRuns = makesRuns
        self.segment = segment
        after = sequence
        sliceIndex = segment.slices.firstIndex { $0.last > sequence } ?? segment.slices.count
    }

    /// Returns about `limit` changes of a single slice; nil at the end.
    package func nextBatch(limit: Int) throws(SegmentError) -> SegmentBatch? {
        guard sliceIndex < segment.slices.count else { return nil }
        let slice = segment.slices[sliceIndex]
        let lines = self.lines ?? SegmentLineReader(source, bounds: slice.bounds, hash: slice.hashBefore)
        self.lines = lines
        var batch = SegmentBatch()
        let start = lines.position
        while batch.events.count + batch.changeCount < limit, lines.position - start < SegmentReader.byteLimit {
            if transaction != nil {
                try readChanges(into: &batch, lines, limit: limit, start: start)
            } else if try !beginTransaction(in: &batch, lines) {
                guard lines.hashSoFar.finalize() == slice.digest else {
                    throw changed("the bytes of this slice", lines)
                }
                batch.endsSlice = true
                sliceIndex += 1
                self.lines = nil
                break
            }
        }
        return batch
    }

    private func beginTransaction(in batch: inout SegmentBatch, _ lines: SegmentLineReader) throws(SegmentError) -> Bool
    {
        guard let line = try next(lines) else { return false }
        let header: TransactionHeader
        do throws(JSONError) {
            header = try TransactionHeader(line: line, writer: segment.name.writer)
        } catch {
            throw changed(error.reason, lines)
        }
        transaction = header
        remaining = header.changeCount
        if header.sequence > after {
            batch.events.append(.begin(header))
            batch.byteCount += max(line.count, SegmentBatch.eventBytes)
        }
        return true
    }

    private func readChanges(
        into batch: inout SegmentBatch,
        _ lines: SegmentLineReader,
        limit: Int,
        start: UInt64
    ) throws(SegmentError) {
        guard let transaction else { return }
        let isWanted = transaction.sequence > after
        var pieces = SegmentPieces(room: min(remaining, max(1, limit - batch.changeCount - batch.events.count)))
        while remaining > 0, pieces.count < pieces.room, lines.position - start < SegmentReader.byteLimit {
            guard let line = try next(lines) else { throw changed("a transaction breaks off", lines) }
            remaining -= 1
            guard isWanted else { continue }
            if makesRuns, pieces.appendRow(line, &parser) { continue }
            batch.byteCount += max(line.count, SegmentBatch.eventBytes)
            do throws(JSONError) {
                pieces.append(try parser.change(line))
            } catch {
                throw changed(error.reason, lines)
            }
            if makesRuns { _ = parser.learn(line) }
        }
        batch.append(&pieces)
        guard remaining == 0 else { return }
        self.transaction = nil
        guard isWanted else { return }
        batch.events.append(.end)
    }

    private func next(_ lines: SegmentLineReader) throws(SegmentError) -> UnsafeBufferPointer<UInt8>? {
        do throws(SegmentError) {
            return try lines.next()
        } catch {
            guard error.kind == .rejected else { throw error.with(writer: segment.name.writer) }
            throw changed(error.reason, lines)
        }
    }

    private func changed(_ what: String, _ lines: SegmentLineReader) -> SegmentError {
        SegmentError(
            .changed,
            file: segment.file,
            line: segment.slices[min(sliceIndex, segment.slices.count - 1)].line + max(0, lines.line - 1),
            writer: segment.name.writer,
            sequence: transaction?.sequence,
            reason: "the file was changed after it was verified (\(what))"
        )
    }
}
