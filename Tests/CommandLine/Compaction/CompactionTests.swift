import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Daemons that cut, verify and prune, new peers that begin with a baseline, and peers that miss segments.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct CompactionTests {
    private func commands(_ marker: String, of article: String = "Compaction") throws -> [[String]] {
        let block = try #require(try Article(article).block(after: "<!-- test: \(marker) -->"))
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
        try await peers.daemons[0].save(#"{"insert":"Employee","values":{"name":"Ann","photo":"\#(photo)"}}"#)
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
        #expect(message.baselines.contains { $0.verified }, "\(message)")

        // A segment that a replicator brings back is not read, and goes again.
        let back = try #require(before.min())
        try kept.write(to: URL(filePath: "\(peers.logs)/\(back)"))
        try await peers.compact(peers.daemons, untilGone: [back])

        // The story of the new peer.
        let four = try await peers.add("four")
        for command in try commands("peer", of: "NewMachine") {
            try await four.success(of: command)
        }
        try await peers.synchronize(peers.daemons)
        #expect(four.journal.contains("joined a baseline"), "\(four.log)")
        for daemon in peers.daemons {
            // Another daemon may remove segments meanwhile that this one has not applied a baseline for.
            try await peers.until("\(daemon.name) is equal to its log folder", [daemon]) {
                #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
                let check = try await daemon.success(of: ["check"])
                return check.output.contains("a store built from the log folder is equal")
            }
        }
        await peers.stop()
    }

    /// A baseline has no names, but a held segment has the name of its writer.
    @Test func aWriterOfABaselineHasTheNameInItsNextSegment() async throws {
        let (shop, new) = (try StoryMachine("shop"), try StoryMachine("new"))
        var gate = RunningDaemon.foreignWriter()
        gate.name = "gate"
        try await shop.start()
        try gate.write([[RunningDaemon.insertion(1)]], to: shop.path(shop.logs))
        try await shop.sync()
        try await shop.save(2)
        try await shop.sync()
        let compaction = try await shop.type("sudo tributaryctl compact")
        #expect(compaction.ending == .exited(0), "\(compaction)")
        for file in shop.files() where !file.hasSuffix(".tlog") { try shop.carry(file, to: new) }
        gate.moveClock(to: UInt64(Date().timeIntervalSince1970 * 1000) + 2 * 86_400_000)
        try gate.write([[RunningDaemon.insertion(3)]], to: new.path(new.logs))
        try await new.start()
        try await StoryMachine.until("the baseline is joined", [new]) {
            try await new.sync()
            return try await new.daemon.count("Employee") == 2
        }
        let list = try await new.type("tributaryctl writer list").output
        #expect(list.split(separator: "\n").contains { $0.hasPrefix("\(gate.id)  gate ") }, "\(list)")
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
            var waiting: [CompactionReport.Segment] = []
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

    /// A machine without others compares its baseline with the log folder, and removes its segments; a second one begins with
    /// what is left.
    @Test func aMachineAloneCompacts() async throws {
        let peers = try CompactionPeers()
        let one = try await peers.add("one")
        for round in 0..<2 {
            try await peers.save("alone \(round)", in: [one])
            try await peers.synchronize([one])
            // A pass of the daemon may have removed the segments already.
            try await peers.compact([one], untilGone: peers.segments())
        }
        try await one.success(of: ["compact", "--dry-run"], output: ", verified")
        let two = try await peers.add("two")
        try await peers.synchronize(peers.daemons)
        #expect(two.journal.contains("joined a baseline"), "\(two.log)")
        await peers.stop()
    }

    /// A machine was set back to an older copy of its store, the folder was compacted, and all machines have got a newer
    /// version of the model: baselines are verified as before, and a new machine begins with one.
    @Test func aFleetThatWasSetBackCompactedAndUpgradedGoesOn() async throws {
        let peers = try CompactionPeers()
        for name in ["one", "two"] { try await peers.add(name) }
        let one = peers.daemons[0]
        try await peers.save("before the copy", in: peers.daemons)
        try await peers.synchronize(peers.daemons)
        #expect(await one.stop() == .exited(0), "\(one.log)")
        let copy = peers.folder.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: one.store, toPath: copy)
        try await one.start()
        try await peers.save("after the copy", in: peers.daemons)
        try await peers.synchronize(peers.daemons)
        #expect(await one.stop() == .exited(0), "\(one.log)")
        for file in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: one.store + file) }
        try FileManager.default.copyItem(atPath: copy, toPath: one.store)
        try await one.start()
        try await peers.save("after the restoration", in: peers.daemons)
        try await peers.synchronize(peers.daemons)
        try await peers.compact(peers.daemons, untilGone: peers.segments())

        for daemon in peers.daemons { #expect(await daemon.stop() == .exited(0), "\(daemon.log)") }
        let more = "photo: {type: Binary, optional: true}\n      visits: {type: Integer 64, default: 0, merge: counter}"
        let model = EmployeeModel.text(adding: more).replacing("version: \"1\"", with: "version: \"2\"")
        try peers.folder.write(model, to: "model.yaml")
        for daemon in peers.daemons { try await daemon.start() }
        try await peers.save("with the newer model", in: peers.daemons)
        try await peers.synchronize(peers.daemons)
        try await peers.compact(peers.daemons, untilGone: peers.segments())
        let three = try await peers.add("three", model: model)
        try await peers.synchronize(peers.daemons)
        #expect(three.journal.contains("joined a baseline"), "\(three.log)")
        await peers.stop()
    }

    /// A property and an entity that the model has lost: whoever builds a store from a baseline or from segments of that time
    /// has the state of the others, and a notice at most.
    @Test func whatTheModelHasLostIsNoProblemOfANewMachine() async throws {
        let old =
            EmployeeModel.text(adding: "shoe: {type: Integer 64, optional: true}") + """

                  Note:
                    attributes: {text: String?, size: {type: Integer 64, default: 0, merge: counter}}
                    relationships: {tags: {to: Tag, many: true, inverse: notes}}
                  Tag: {relationships: {notes: {to: Note, many: true, inverse: tags}}}
                """
        let peers = try CompactionPeers()
        let id = (1...6).map { "0190f1a2-0000-7000-8000-00000000000\($0)" }
        func note(_ index: Int, _ text: String) -> String {
            #"{"insert":"Note","id":"\#(id[index])","values":{"text":"\#(text)","size":3}}"#
        }
        func employee(_ index: Int) -> String {
            #"{"insert":"Employee","id":"\#(id[index])","values":{"name":"Ann","shoe":44}}"#
        }
        let later = [
            #"{"update":"Employee","id":"\#(id[0])","values":{"shoe":45}}"#,
            #"{"update":"Note","id":"\#(id[1])","values":{"text":"b","size":{"increment":1}}}"#,
            #"{"insert":"Tag","id":"\#(id[2])","values":{}}"#,
            #"{"link":"Note","id":"\#(id[1])","to":"tags","ids":["\#(id[2])"]}"#,
        ]
        let deletion = #"{"delete":"Note","id":"\#(id[3])"}"#
        // All of it was written a month ago.
        let month = UInt64(Date().timeIntervalSince1970 * 1000) - 30 * 86_400_000
        var writer = ForeignWriter(id: "5f0c0000-0000-4000-8000-00000000000a", milliseconds: month)
        for name in ["one", "two"] { try await peers.add(name, model: old) }
        try writer.write([[employee(0), note(1, "a"), note(3, "c")]], to: peers.logs)
        try await peers.synchronize(peers.daemons)
        try await peers.compact(peers.daemons, untilGone: peers.segments().filter { !$0.hasPrefix(writer.id) })
        try writer.write([later, [deletion]], to: peers.logs)
        try await peers.synchronize(peers.daemons)

        func restart(_ daemon: RunningDaemon) async throws {
            #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
            try await daemon.start()
        }
        let new = EmployeeModel.text.replacing("version: \"1\"", with: "version: \"2\"")
        try peers.folder.write(new, to: "model.yaml")
        for daemon in peers.daemons { try await restart(daemon) }
        let three = try await peers.add("three", model: new)
        try await expectHealth(of: peers)
        #expect(three.journal.contains("joined a baseline"), "\(three.log)")
        let status = try await three.success(of: ["status"])
        #expect(status.output.contains("well, with 1 notice") && status.output.contains("'Note'"), "\(status)")

        // Baselines of the new model, and a machine that begins with them.
        let before = peers.segments().filter { !$0.hasPrefix(writer.id) }
        try await peers.until("the segments are gone", peers.daemons) {
            try await peers.save("more", in: peers.daemons)
            for _ in 0..<2 { for daemon in peers.daemons { try await daemon.success(of: ["sync"]) } }
            for daemon in peers.daemons { _ = try await peers.compact(daemon) }
            return peers.segments().isDisjoint(with: before)
        }
        let four = try await peers.add("four", model: new)
        try await expectHealth(of: peers)
        #expect(four.journal.contains("joined a baseline"), "\(four.log)")
        await peers.stop()
    }

    /// All daemons have the same objects, no problem, and log folders from which the same stores are built.
    private func expectHealth(of peers: CompactionPeers) async throws {
        for _ in 0..<2 { for daemon in peers.daemons { try await daemon.success(of: ["sync"]) } }
        var objects: Set<String> = []
        for daemon in peers.daemons {
            try await daemon.success(of: ["status", "--check"])
            let check = try await daemon.success(of: ["check"])
            #expect(check.output.contains("a store built from the log folder is equal"), "\(check)")
            var rows: [String] = []
            for entity in ["Employee", "Department"] {
                let listed = try await daemon.call(.get, "/v1/objects/\(entity)").1["objects"] as? [[String: Any]]
                rows += try #require(listed).map { object in
                    let values = try #require(object["values"] as? [String: Any])
                    return "\(object["id"] ?? "") \(values.map { "\($0)=\($1)" }.sorted())"
                }
            }
            objects.insert(rows.sorted().joined(separator: "\n"))
        }
        #expect(objects.count == 1, "\(objects)")
    }
}
