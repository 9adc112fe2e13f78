import Testing

@testable import TributaryStore

@Suite(.timeLimit(.minutes(10))) struct BroadcastTests {
    private func rest(of stream: AsyncStream<Int>) async -> [Int] {
        var elements: [Int] = []
        for await element in stream { elements.append(element) }
        return elements
    }

    @Test func aStreamEndsWithTheBroadcastAndOneAskedForLaterHasEnded() async {
        let broadcast = Broadcast<Int>(limit: 8)
        let early = broadcast.stream()
        broadcast.send(1)
        let late = broadcast.stream()
        broadcast.send(2)
        broadcast.finish()
        #expect(await rest(of: early) == [1, 2])
        #expect(await rest(of: late) == [2])
        #expect(await rest(of: broadcast.stream()) == [])
    }

    @Test func aSlowReaderLosesItsOldestElements() async {
        let broadcast = Broadcast<Int>(limit: 3)
        let stream = broadcast.stream()
        for number in 0..<10 { broadcast.send(number) }
        broadcast.finish()
        #expect(await rest(of: stream) == [7, 8, 9])
    }
}
