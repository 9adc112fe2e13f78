import TestSupport
import Testing
import TributaryChanges

@testable import TransactionLog

@Suite struct SegmentReaderTests {
    let writer = UniqueID(high: 1, low: 2)

    /// Reads a segment to its end and joins the pieces of its transactions.
    private func transactions(
        _ source: MemorySegment,
        _ segment: VerifiedSegment,
        after: UInt64 = 0,
        limit: Int
    ) throws -> [LogTransaction] {
        let reader = SegmentReader(source, segment: segment, after: after)
        var batches: [SegmentBatch] = []
        while let batch = try reader.nextBatch(limit: limit) {
            #expect(batch.changeCount <= limit)
            batches.append(batch)
        }
        return joined(batches)
    }

    private func joined(_ batches: [SegmentBatch]) -> [LogTransaction] {
        var found: [LogTransaction] = []
        var open: LogTransaction?
        for batch in batches {
            for event in batch.events {
                switch event {
                case .begin(let header):
                    #expect(open == nil)
                    open = LogTransaction(header: header, changes: [])
                case .changes(let changes): open?.changes += changes
                case .rows(let run): open?.changes += run.changes
                case .end:
                    if let open { found.append(open) }
                    open = nil
                }
            }
            if batch.endsSlice { #expect(open == nil) }
        }
        return found
    }

    @Test func writtenSegmentsAreRead() throws {
        var source = RandomTransactions(.printingSeed())
        for round in 0..<60 {
            let written = source.next(first: UInt64(round + 1), count: 1 + round % 13)
            let text = SegmentText(writer: writer, written)
            let memory = MemorySegment(text.bytes())
            let verified = try SegmentVerifier(sliceChanges: 1 + round % 17).verify(memory, name: text.name)
            for limit in [1, 2, 7, 1000] {
                #expect(try transactions(memory, verified, limit: limit) == written)
            }
            #expect(verified.greatestClock == written.last?.header.clock)
            let dependencies = written.filter { !$0.header.seen.isEmpty }.map {
                VerifiedSegment.Dependency(sequence: $0.header.sequence, seen: $0.header.seen)
            }
            #expect(verified.dependencies == dependencies)
            for after in text.name.first...text.name.last {
                let rest = try transactions(memory, verified, after: after, limit: 5)
                #expect(rest == written.filter { $0.header.sequence > after })
            }
        }
    }

    @Test func theVerifierKeepsContentThatIsOnlyRows() throws {
        var source = RandomTransactions(SeededGenerator.fromEnvironment())
        var rows = source.next(first: 1, count: 40)
        for index in rows.indices {
            rows[index].changes = (0..<(index * 7 % 20)).map { number in
                let value: JSONValue = number % 5 == 0 ? .null : .string("Ann \(number)")
                let writes = [PropertyWrite(name: "name", value: value)]
                let id = UniqueID(high: UInt64(index), low: UInt64(number))
                return Change(
                    entity: "Employee",
                    id: id,
                    operation: number % 2 == 0 ? .insert(writes) : .update(writes)
                )
            }
            rows[index].header.changeCount = rows[index].changes.count
        }
        func kept(_ transactions: [LogTransaction]) throws -> [SegmentBatch] {
            let text = SegmentText(writer: writer, transactions)
            let verifier = SegmentVerifier(sliceChanges: 30, keptBytes: .max)
            return try verifier.verify(MemorySegment(text.bytes()), name: text.name).batches
        }
        #expect(try joined(kept(rows)) == rows)
        #expect(try kept(rows).allSatisfy(\.endsSlice))
        let deletion = Change(entity: "Employee", id: UniqueID(high: 1, low: 1), operation: .delete)
        rows[20].changes.append(deletion)
        rows[20].header.changeCount += 1
        #expect(try kept(rows).isEmpty)
    }

    @Test func theSizeOfTheReadsMakesNoDifference() throws {
        var source = RandomTransactions(.printingSeed())
        let written = source.next(first: 1, count: 40)
        let text = SegmentText(writer: writer, written)
        for size in [1, 2, 3, 17, 64, 1000] {
            let memory = MemorySegment(text.bytes()) { _ in size }
            let verified = try SegmentVerifier(sliceChanges: 10).verify(memory, name: text.name)
            #expect(try transactions(memory, verified, limit: 8) == written)
        }
        for _ in 0..<20 {
            let odd = source.random.next()
            let memory = MemorySegment(text.bytes()) { Int(($0 &* odd) >> 54) + 1 }
            let verified = try SegmentVerifier(sliceChanges: 10).verify(memory, name: text.name)
            #expect(try transactions(memory, verified, limit: 8) == written)
        }
    }

    @Test func noSliceEndsWithOtherBytesThanWereVerified() throws {
        var source = RandomTransactions(.printingSeed())
        let text = SegmentText(writer: writer, source.next(first: 1, count: 30))
        let bytes = text.bytes()
        let memory = MemorySegment(bytes)
        let verified = try SegmentVerifier(sliceChanges: 12).verify(memory, name: text.name)
        let header = (bytes.firstIndex(of: 0x0A) ?? 0) + 1
        for _ in LongProofs.rounds(60) {
            var edited = bytes
            let place = Int.random(in: header..<(text.body.count), using: &source.random)
            edited[place] ^= 1 << UInt8.random(in: 0...7, using: &source.random)
            memory.replace(edited)
            let reader = SegmentReader(memory, segment: verified)
            var slices = verified.slices[...]
            let error = #expect(throws: SegmentError.self) {
                while let batch = try reader.nextBatch(limit: 4) {
                    guard batch.endsSlice else { continue }
                    let ended = slices.popFirst()
                    let bounds = try #require(ended).bounds
                    let range = Int(bounds.lowerBound)..<Int(bounds.upperBound)
                    #expect(edited[range] == bytes[range])
                }
            }
            #expect(error?.kind == .changed)
        }
    }

    @Test func aFileThatShrinksIsFound() throws {
        var source = RandomTransactions(SeededGenerator(seed: 3))
        let text = SegmentText(writer: writer, source.next(first: 1, count: 30))
        let memory = MemorySegment(text.bytes())
        let verified = try SegmentVerifier().verify(memory, name: text.name)
        memory.replace(Array(text.bytes().prefix(300)))
        let reader = SegmentReader(memory, segment: verified)
        let error = #expect(throws: SegmentError.self) { while try reader.nextBatch(limit: 10) != nil {} }
        #expect(error?.kind == .changed)
    }

    @Test func noMutationIsTakenForASegment() throws {
        var source = RandomTransactions(.printingSeed())
        let text = SegmentText(writer: writer, source.next(first: 1, count: 5))
        let bytes = text.bytes()
        var tried = 0
        for _ in LongProofs.rounds(600) {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...3, using: &source.random) {
                let place = Int.random(in: 0..<mutated.count, using: &source.random)
                switch Int.random(in: 0...3, using: &source.random) {
                case 0: mutated[place] = .random(in: 0...255, using: &source.random)
                case 1: mutated.remove(at: place)
                case 2: mutated.insert(.random(in: 0...255, using: &source.random), at: place)
                default: mutated[place] ^= 1 << UInt8.random(in: 0...7, using: &source.random)
                }
            }
            guard isOtherSegment(mutated, than: bytes) else { continue }
            tried += 1
            let memory = MemorySegment(mutated)
            #expect(throws: SegmentError.self) { try SegmentVerifier().verify(memory, name: text.name) }
        }
        #expect(tried > 400, "\(tried) mutations changed the segment")
    }

    /// Whether a change of the end line changes its meaning; an added space or a hash in capitals does not.
    private func isOtherSegment(_ mutated: [UInt8], than bytes: [UInt8]) -> Bool {
        guard mutated != bytes else { return false }
        let body = bytes.dropLast().lastIndex(of: 0x0A) ?? 0
        guard mutated.count > body, mutated[...body].elementsEqual(bytes[...body]) else { return true }
        guard let tail = try? SegmentTail.read(MemorySegment(mutated)) else { return true }
        return tail.end != (try? SegmentTail.read(MemorySegment(bytes)))?.end
    }

    /// Mutates the content under a correct hash: every accepted segment can be read and written again.
    @Test func acceptedSegmentsCanBeRead() throws {
        var source = RandomTransactions(.printingSeed())
        let text = SegmentText(writer: writer, source.next(first: 1, count: 4))
        var accepted = 0
        for _ in LongProofs.rounds(600) {
            var body = text.body
            for _ in 0..<Int.random(in: 1...2, using: &source.random) {
                let place = Int.random(in: 0..<body.count, using: &source.random)
                body[place] =
                    Array("{}[]\":,0123456789abcdef-+eE.\\u \n\u{80}".utf8).randomElement(using: &source.random) ?? 0
            }
            let memory = MemorySegment(body + text.endLine(of: body))
            guard let verified = try? SegmentVerifier(sliceChanges: 3).verify(memory, name: text.name) else { continue }
            accepted += 1
            let read = try transactions(memory, verified, limit: 3)
            #expect(read.map(\.changes.count) == read.map(\.header.changeCount))
            let again = SegmentText(writer: writer, read)
            let memoryAgain = MemorySegment(again.bytes())
            let verifiedAgain = try SegmentVerifier().verify(memoryAgain, name: again.name)
            #expect(try transactions(memoryAgain, verifiedAgain, limit: 100) == read)
        }
        #expect(accepted > 0)
    }

    @Test func theTailAloneTellsTheHash() throws {
        let text = SegmentText(
            writer: writer,
            last: 1,
            ["{\"transaction\":1,\"clock\":\"0000000000000001\",\"changes\":0}"]
        )
        let tail = try SegmentTail.read(MemorySegment(text.bytes()))
        #expect(tail.end == SegmentEnd(last: 1, transactions: 1, changes: 0, sha256: SegmentText.hash(text.body)))
        #expect(tail.offset == UInt64(text.body.count))
        #expect(try SegmentHeader.read(MemorySegment(text.bytes())).segmentName == text.name)
    }
}
