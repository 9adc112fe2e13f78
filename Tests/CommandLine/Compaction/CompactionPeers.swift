import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Daemons with one log folder, which acknowledge at once and keep no segment for long.
final class CompactionPeers {
    let folder: TemporaryFolder
    private(set) var daemons: [RunningDaemon] = []
    static let model = EmployeeModel.text(adding: "photo: {type: Binary, optional: true}")
    /// The number of rounds after which waiting is given up.
    private static let rounds = 100

    init() throws { folder = try TemporaryFolder("compaction") }

    var logs: String { folder.path("logs") }

    @discardableResult
    func add(_ name: String, model: String = CompactionPeers.model) async throws -> RunningDaemon {
        let daemon = try RunningDaemon(name, in: folder)
        try folder.write(model, to: "model.yaml")
        try daemon.configure("retention: {keep_segments: 1ms}\nwatch: {incomplete_grace: 1s}")
        try daemon.reconfigure("export: {debounce: 10ms}", to: "export: {debounce: 10ms, acknowledge: 50ms}")
        try await daemon.start()
        daemons.append(daemon)
        return daemon
    }

    func stop() async { for daemon in daemons { _ = await daemon.stop() } }

    func save(_ title: String, in daemons: [RunningDaemon]) async throws {
        for daemon in daemons {
            try await daemon.save(#"{"insert":"Department","values":{"title":"\#(title) \#(daemon.name)"}}"#)
        }
    }

    func compact(_ daemon: RunningDaemon, dryRun: Bool = false) async throws -> CompactionReport {
        let call = AdminCall(.post, .compact, query: dryRun ? [("dryRun", "true")] : [])
        let answer = try await daemon.client.send(call)
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(CompactionReport.self, from: Data(answer.body))
    }

    func segments() -> Set<String> {
        let files = FileManager.default.enumerator(atPath: logs)?.compactMap { $0 as? String } ?? []
        return Set(files.filter { $0.hasSuffix(".tlog") && !$0.hasPrefix(".") })
    }

    func synchronize(_ daemons: [RunningDaemon]) async throws {
        try await until("the states are equal", daemons) {
            var digests: Set<String> = []
            for daemon in daemons {
                #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
                digests.insert(try await daemon.digest())
            }
            return digests.count == 1
        }
    }

    /// Compacts until none of these segments is left.
    ///
    /// Each round has further changes: an acknowledgement alone calls for no acknowledgement.
    func compact(_ daemons: [RunningDaemon], untilGone segments: Set<String>) async throws {
        try await until("the segments are gone", daemons) {
            try await self.save("more", in: daemons)
            try await self.synchronize(daemons)
            for daemon in daemons { _ = try await self.compact(daemon) }
            return self.segments().isDisjoint(with: segments)
        }
    }

    /// Asks again until the condition holds; each round is work of the daemons.
    func until(_ what: String, _ daemons: [RunningDaemon], _ holds: () async throws -> Bool) async throws {
        for _ in 0..<CompactionPeers.rounds {
            if try await holds() { return }
        }
        var texts: [String] = []
        for daemon in daemons {
            texts.append("\(daemon.name): \(try await compact(daemon, dryRun: true))\n\(daemon.log)")
        }
        Issue.record("never: \(what); there are \(segments().sorted())\n\(texts.joined(separator: "\n"))")
        throw CancellationError()
    }
}
