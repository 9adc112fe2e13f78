import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// Daemons that cut, verify and prune, new peers that begin with a baseline, and peers that miss segments.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct CompactionTests {
    private func commands(_ marker: String) throws -> [[String]] {
        let block = try #require(try Article("Compaction").block(after: "<!-- test: \(marker) -->"))
        return block.split(separator: "\n").filter { $0.hasPrefix("tributaryctl ") }.map { line in
            line.prefix { $0 != "#" }.split(separator: " ").dropFirst().map(String.init)
        }
    }

    @Test func segmentsGoAndANewPeerBeginsWithTheBaseline() async throws {
        let peers = try CompactionPeers()
        for name in ["one", "two", "three"] { try await peers.add(name) }
        for round in 0..<3 {
            try await peers.save("round \(round)", in: peers.daemons)
            try await peers.synchronize(peers.daemons)
        }
        let photo = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }).base64EncodedString()
        let body = #"{"changes":[{"insert":"Employee","values":{"name":"Ann","photo":"\#(photo)"}}]}"#
        #expect(try await peers.daemons[0].call(.post, "/v1/transactions", body).0 == 200)
        try await peers.synchronize(peers.daemons)
        let before = peers.segments()
        let kept = try Data(contentsOf: URL(filePath: "\(peers.logs)/\(try #require(before.min()))"))

        // The story of the folder that is too large.
        for command in try commands("folder") {
            let answer = try await peers.daemons[0].command(command)
            #expect(answer.ending == .exited(0), "\(command): \(answer)")
        }
        try await peers.compact(peers.daemons, untilGone: before)
        let message = try await peers.compact(peers.daemons[0], dryRun: true)
        #expect(message.baselines.filter(\.verified).count >= 2, "\(message)")

        // A segment that a replicator brings back is not read, and goes again.
        let back = try #require(before.min())
        try kept.write(to: URL(filePath: "\(peers.logs)/\(back)"))
        try await peers.compact(peers.daemons, untilGone: [back])

        // The story of the new peer.
        let four = try await peers.add("four")
        for command in try commands("peer") {
            let answer = try await four.command(command)
            #expect(answer.ending == .exited(0), "\(command): \(answer)")
        }
        try await peers.synchronize(peers.daemons)
        #expect(four.journal.contains("joined a baseline"), "\(four.log)")
        for daemon in peers.daemons {
            // Another daemon may remove segments meanwhile that this one has not applied a baseline for.
            try await peers.until("\(daemon.name) is equal to its log folder", [daemon]) {
                #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
                let check = try await daemon.command(["check"])
                #expect(check.ending == .exited(0), "\(daemon.name): \(check)")
                return check.output.contains("a store built from the log folder is equal")
            }
        }
        await peers.stop()
    }

    /// A peer was away while segments were removed that it had not applied, and catches up by a baseline.
    @Test func aPeerThatMissesSegmentsJoinsABaseline() async throws {
        let peers = try CompactionPeers()
        for name in ["one", "two", "three"] { try await peers.add(name) }
        try await peers.save("first", in: peers.daemons)
        try await peers.synchronize(peers.daemons)
        try await peers.save("second", in: peers.daemons)
        try await peers.synchronize(peers.daemons)
        let three = peers.daemons[2]
        #expect(await three.stop() == .exited(0), "\(three.log)")
        let seen = peers.segments()

        let present = Array(peers.daemons[0...1])
        try await peers.save("third", in: present)
        try await peers.synchronize(present)
        let missed = peers.segments().subtracting(seen)
        try await peers.until("a verified baseline has them", present) {
            try await peers.save("more", in: present)
            try await peers.synchronize(present)
            for daemon in present { _ = try await peers.compact(daemon) }
            var waiting: [CompactMessage.Segment] = []
            for daemon in present { waiting += try await peers.compact(daemon, dryRun: true).remaining }
            waiting = waiting.filter { missed.contains($0.file) }
            return !waiting.isEmpty && waiting.allSatisfy { $0.waitsFor.allSatisfy { $0.contains("three") } }
        }
        // The writer that is away is waited for; a fault of the replicator is not.
        #expect(!peers.segments().isDisjoint(with: missed))
        for file in missed { try FileManager.default.removeItem(atPath: "\(peers.logs)/\(file)") }

        try await three.start()
        try await peers.synchronize(peers.daemons)
        #expect(three.journal.contains("joined a baseline"), "\(three.log)")
        try await peers.save("fourth", in: peers.daemons)
        try await peers.synchronize(peers.daemons)
        await peers.stop()
    }

    /// A writer alone has nobody to verify its baseline, and says so.
    @Test func aSingleWriterKeepsItsSegments() async throws {
        let peers = try CompactionPeers()
        let one = try await peers.add("one")
        try await peers.save("alone", in: [one])
        try await peers.synchronize([one])
        let before = peers.segments()
        for arguments in [["compact", "--dry-run"], ["compact"]] {
            let answer = try await one.command(arguments)
            #expect(answer.ending == .exited(0), "\(answer)")
            #expect(answer.output.contains("segments of a single writer stay"), "\(answer.output)")
        }
        #expect(!before.isEmpty && before.isSubset(of: peers.segments()))
        await peers.stop()
    }
}
