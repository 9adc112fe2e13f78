import TestSupport
import Testing
import TributaryAdmin

/// Two machines move two folders into each other: the merge takes both moves, and every program works on with the circle.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct ParentCircleTests {
    private static let model = """
        version: "1"
        entities:
          Folder:
            attributes: {name: String?}
            relationships:
              parent: {to: Folder?, inverse: folders}
              folders: {to: Folder, many: true, inverse: parent, delete: Cascade}
        """
    private static let x = "0190f1a2-0000-7000-8000-000000000001"
    private static let y = "0190f1a2-0000-7000-8000-000000000002"

    private func move(_ folder: String, to parent: String) -> String {
        #"{"update":"Folder","id":"\#(folder)","values":{"parent":"\#(parent)"}}"#
    }

    @Test func machinesThatMakeACircleStayEqual() async throws {
        let peers = try CompactionPeers()
        let one = try await peers.add("one", model: Self.model)
        let two = try await peers.add("two", model: Self.model)
        let both = [one, two]
        try await one.save(
            #"{"insert":"Folder","id":"\#(Self.x)","values":{"name":"X"}}"#,
            #"{"insert":"Folder","id":"\#(Self.y)","values":{"name":"Y"}}"#
        )
        try await peers.synchronize(both)
        for daemon in both { try await daemon.success(of: ["pause"]) }
        try await one.save(move(Self.x, to: Self.y))
        try await two.save(move(Self.y, to: Self.x))
        for daemon in both { try await daemon.success(of: ["resume"]) }
        try await peers.synchronize(both)
        // A machine that begins now has the circle from the log folder.
        let three = try await peers.add("three", model: Self.model)
        try await peers.synchronize(peers.daemons)
        for daemon in peers.daemons {
            let roots = try await daemon.success(of: ["object", "list", "Folder", "--where", "parent == nil"])
            #expect(!roots.output.contains(Self.x) && !roots.output.contains(Self.y), "\(roots)")
            let around = "parent.parent == SELF AND ANY folders.folders.name == name"
            let found = try await daemon.success(of: ["object", "list", "Folder", "--where", around])
            #expect(found.output.contains(Self.x) && found.output.contains(Self.y), "\(found)")
            #expect(try await daemon.problems() == [])
            let conflicts = try await daemon.success(of: ["--json", "conflict", "list"])
            #expect(!conflicts.output.contains(Self.x), "\(conflicts)")
            try await peers.until("\(daemon.name) is equal to its log folder", [daemon]) {
                try await daemon.success(of: ["sync"])
                let check = try await daemon.success(of: ["check"])
                return check.output.contains("a store built from the log folder is equal")
            }
            let arguments = ["--check-config", "--config", daemon.configuration]
            let config = try await daemon.command(arguments, of: "tributaryd")
            #expect(config.ending == .exited(0) && config.output.contains("Folder.parent leads to Folder again"))
        }
        // Cascade goes around and ends.
        try await three.save(#"{"delete":"Folder","id":"\#(Self.x)"}"#)
        try await peers.synchronize(peers.daemons)
        for daemon in peers.daemons { #expect(try await daemon.count("Folder") == 0) }
        await peers.stop()
    }
}
