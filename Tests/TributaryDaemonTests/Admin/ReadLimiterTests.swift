import Glibc
import Testing
import TributaryAdmin

@testable import TributaryDaemon

@Suite struct ReadLimiterTests {
    @Test func aReadBeyondTheLimitIsRefusedWithAReason() async throws {
        let room = ReadLimiter(limit: 2)
        try await room.run {
            try await room.run {
                let refusal = await #expect(throws: ProblemDocument.self) { try await room.run {} }
                #expect(refusal?.status == 503)
                #expect(refusal?.type == ProblemKind.tooManyClients.type)
            }
            // A read can start after another one has ended.
            #expect(try await room.run { 7 } == 7)
        }
    }

    /// Thirty long reads of one client, and then the short ones of others.
    @Test func shortReadsOfOthersDoNotWaitForLongOnes() {
        var turns = ReadTurns()
        let (one, other) = (ReadLimiter.Client(process: 1), ReadLimiter.Client(process: 2))
        let long = (0..<30).map { _ in turns.add(one, isLong: true) {} }
        #expect(long.filter { turns.isRunning($0) } == [long[0]])
        let short = (0..<3).map { _ in turns.add(one, isLong: false) {} }
        let later = turns.add(other, isLong: false) {}
        #expect(turns.isRunning(short[0]) && !turns.isRunning(later))
        // The other client comes before the further reads of the first one, and long reads one after the other.
        turns.remove(short[0])
        #expect(turns.isRunning(later) && !turns.isRunning(short[1]))
        let longer = turns.add(other, isLong: true) {}
        let isLong = turns.lengthen(later)
        #expect(!isLong)
        turns.remove(long[0])
        #expect(turns.isRunning(longer) && !turns.isRunning(long[1]))
        for read in short + long + [later, longer] { turns.remove(read) }
        let last = turns.add(one, isLong: false) {}
        let isAlone = turns.lengthen(last)
        #expect(turns.isRunning(last) && isAlone)
    }

    @Test func theReadsOfOneClientKeepTheirOrder() {
        var turns = ReadTurns()
        let reads = (0..<9).map { _ in turns.add(ReadLimiter.Client(process: 1), isLong: false) {} }
        for index in reads.indices {
            // Two of them run at one time.
            #expect(reads.filter { turns.isRunning($0) } == Array(reads[index...].prefix(2)))
            turns.remove(reads[index])
        }
    }

    /// One client's long read goes on while thousands of short-lived processes ask.
    @Test func clientsThatAreGoneAreForgottenWhileReadsGoOn() {
        var turns = ReadTurns()
        let long = turns.add(ReadLimiter.Client(process: 1), isLong: true) {}
        for process in 2...5_000 {
            let read = turns.add(ReadLimiter.Client(process: pid_t(process)), isLong: false) {}
            turns.remove(read)
        }
        #expect(turns.clientCount <= 2 * ReadLimiter.limit)
        // The last client still comes after one that had no turn yet.
        let running = turns.add(ReadLimiter.Client(process: 5_000), isLong: false) {}
        let again = turns.add(ReadLimiter.Client(process: 5_000), isLong: false) {}
        let new = turns.add(ReadLimiter.Client(process: 6_000), isLong: false) {}
        turns.remove(running)
        #expect(turns.isRunning(long) && turns.isRunning(new) && !turns.isRunning(again))
    }

    @Test(.timeLimit(.minutes(5))) func aReadWhoseTurnDoesNotComeIsRefused() async throws {
        let limiter = ReadLimiter(patience: .milliseconds(1))
        let (starts, start) = AsyncStream<Void>.makeStream()
        let ends = (0..<2).map { _ in AsyncStream<Void>.makeStream() }
        let busy = ends.map { end in
            Task {
                // The inner task goes on although the read is interrupted.
                try? await limiter.runAsync {
                    start.yield()
                    await Task { for await _ in end.stream {} }.value
                }
            }
        }
        var iterator = starts.makeAsyncIterator()
        for _ in busy { await iterator.next() }
        let refusal = await #expect(throws: ProblemDocument.self) { try await limiter.runAsync {} }
        #expect(refusal?.status == 503, "\(String(describing: refusal))")
        for end in ends { end.continuation.finish() }
        for task in busy { await task.value }
        #expect(limiter.current == 0)
    }
}
