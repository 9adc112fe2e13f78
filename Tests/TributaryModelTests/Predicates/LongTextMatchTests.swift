import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TributaryModel

/// Long texts are matched on a separate thread, which the caller need not wait for.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LongTextMatchTests {
    @Test(arguments: ["a+b", "a+c", ".*b", ".*[xy].*", "(a|aa)+b?", "A+B"])
    func aLongTextMatchesAsItDoesWithoutALimit(_ pattern: String) throws {
        let matcher = try StringMatcher(.matches, pattern, pattern == "A+B" ? .caseInsensitive : [])
        for length in [LongTextMatch.minimumLength - 1, 3 * LongTextMatch.minimumLength] {
            let text = String(repeating: "a", count: length) + "b"
            let plain = matcher.matches(text)
            #expect(MatchingLimit.with({ false }) { matcher.matches(text) } == plain, "\(pattern)")
        }
    }

    @Test func aCallerThatGivesUpDoesNotWaitForTheEnd() {
        let release = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let isBegun = Atomic(false)
        // The limit is reached as soon as the match runs.
        let isFound = MatchingLimit.with({ isBegun.load(ordering: .acquiring) }) {
            LongTextMatch.run {
                isBegun.store(true, ordering: .releasing)
                release.wait()
                // The body ends at its next check, because the caller has returned.
                defer { ended.signal() }
                return MatchingLimit.isReached
            }
        }
        #expect(!isFound && LongTextMatch.census.abandoned >= 1)
        release.signal()
        ended.wait()
    }

    @Test func aCallerThatFindsNoPlaceGivesUpToo() async throws {
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            let (starts, start) = AsyncStream<Void>.makeStream()
            for _ in 0..<LongTextMatch.maximumCount {
                group.addTask {
                    try await onThread {
                        LongTextMatch.run {
                            start.yield()
                            release.wait()
                            return true
                        }
                    }
                }
            }
            var started = 0
            for await _ in starts {
                started += 1
                if started == LongTextMatch.maximumCount { break }
            }
            let isFound = MatchingLimit.with({ true }) {
                LongTextMatch.run {
                    Issue.record("there was a place")
                    return true
                }
            }
            #expect(!isFound && LongTextMatch.census.running == LongTextMatch.maximumCount)
            for _ in 0..<LongTextMatch.maximumCount { release.signal() }
            for try await isFound in group { #expect(isFound) }
        }
    }

    /// Both operators compare as many bytes as the product of the two lengths.
    @Test(arguments: [ObjectPredicate.Operator.contains, .like])
    func partsOfLongTextsAreGivenUpToo(_ operation: ObjectPredicate.Operator) throws {
        let part = String(repeating: "a", count: 1 << 20) + "b"
        let matcher = try StringMatcher(operation, operation == .like ? "*\(part)*" : part)
        let questions = Atomic(0)
        let isFound = MatchingLimit.with({ questions.add(1, ordering: .relaxed).newValue == 3 }) {
            matcher.matches(String(repeating: "a", count: 1 << 21))
        }
        #expect(!isFound && questions.load(ordering: .relaxed) == 3)
    }
}
