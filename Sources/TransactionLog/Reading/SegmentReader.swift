import TributaryChanges

/// Reads the transactions of a verified segment in batches, in bounded memory.
///
/// The reader hashes the bytes again. It returns the batch that ends a slice only when the bytes of the slice match the
/// verified bytes; until then, nothing of the slice may be committed.
///
/// ```swift
/// let reader = SegmentReader(file, segment: verified, after: position)
/// while let batch = try reader.nextBatch(limit: 1_000) {
///     // apply `batch.events`; commit when `batch.endsSlice`
/// }
/// ```
package final class SegmentReader {
    /// After so many bytes a batch ends: several batches are in memory at a time, and the values of a line can be
    /// several times as long as the line.
    private static let byteLimit: UInt64 = 1 << 20

    private let source: any SegmentBytes
    private let segment: VerifiedSegment
    private let after: UInt64
    private var sliceIndex: Int
    private var lines: SegmentLineReader?
    private let makesRuns: Bool
    private var parser = ChangeLineParser()
    /// `remaining` is the number of its changes that have not been read.
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

    /// Returns the next batch of about `limit` changes; nil at the end.
    ///
    /// A batch never includes lines of two slices.
    ///
    /// - Throws: ``SegmentError`` `changed` when the bytes are not the verified bytes.
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
