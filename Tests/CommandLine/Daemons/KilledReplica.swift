import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges
import TributaryClient

/// A daemon that is killed and restarted over one store, a foreign writer that gives it segments, and a record of the
/// expected final state.
final class KilledReplica {
    private(set) var droppedItems: Set<String> = []
    private(set) var acknowledged: Set<String> = []
    private(set) var increments = 0
    private(set) var killsBeforeReady = 0
    /// The number of kills during a request, by its path.
    private(set) var kills: [String: Int] = [:]
    private let folder: TemporaryFolder
    /// The socket of one process, so that messages of the previous process are not attributed to the next one.
    private var notify: NotifySocket
    private var foreign: ForeignWriter
    private let tally = "0190f1a2-0000-7000-8000-0000000000ff"
    /// The number of changes of the model; each of them has the next start migrate the store.
    private var modelChanges = 0
    private var requests = 0
    let compacts: Bool

    init(compacts: Bool = false) throws {
        self.compacts = compacts
        folder = try TemporaryFolder("kill")
        notify = try NotifySocket(in: folder)
        foreign = ForeignWriter(
            id: "5f0c0000-0000-4000-8000-000000000001",
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000) - 60_000
        )
        try writeModel()
        try configure(acknowledge: compacts ? "50ms" : "1h")
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: true)
        try foreign.write([[#"{"insert":"Tally","id":"\#(tally)","values":{"count":0}}"#]], to: logs)
    }

    private func configure(acknowledge: String) throws {
        let retention = compacts ? "retention: {keep_segments: 1ms}" : ""
        for peer in ["one", "two", "three"] {
            try folder.write(
                """
                name: "\(peer)"
                store: \(folder.path("\(peer).sqlite"))
                model: \(folder.path("model.yaml"))
                logs: \(folder.path("logs"))
                merge: {debounce: 20ms, ceiling: 100ms}
                export: {debounce: 10ms, segment_bytes: 2KiB, acknowledge: \(acknowledge)}
                \(retention)
                admin: {socket: \(folder.path("\(peer).sock"))}
                """,
                to: "\(peer).yaml"
            )
        }
    }

    var store: String { folder.path("one.sqlite") }
    private var logs: String { folder.path("logs") }

    func changeModel() throws {
        modelChanges += 1
        try writeModel()
    }

    private func writeModel() throws {
        let added = (0..<modelChanges).map { "      added\($0): {type: String, optional: true}\n" }.joined()
        try folder.write(
            """
            version: "\(modelChanges + 1)"
            entities:
              Tally:
                attributes:
                  count: {type: Integer 64, optional: true, merge: counter}
              Item:
                attributes:
                  name: {type: String, optional: true}
                  file: {type: Binary, optional: true, external: true}

            """ + added,
            to: "model.yaml"
        )
    }

    /// Writes a few segments with items to insert and a counter to increment.
    ///
    /// Where the daemons compact, the transactions are smaller: a compaction costs as much as the state is large, and
    /// many of them must come to their end between two kills.
    func dropSegments(using random: inout SeededGenerator) throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            var transactions: [[String]] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                var changes: [String] = []
                for _ in 0..<Int.random(in: 1...(compacts ? 5 : 20), using: &random) {
                    let id = UUID().uuidString.lowercased()
                    droppedItems.insert(id.replacing("-", with: ""))
                    changes.append(#"{"insert":"Item","id":"\#(id)","values":{"name":"from outside"}}"#)
                }
                changes.append(#"{"update":"Tally","id":"\#(tally)","values":{"count":{"increment":1}}}"#)
                increments += 1
                transactions.append(changes)
            }
            try foreign.write(transactions, to: logs)
        }
    }

    /// Starts the daemon, gives it work, and kills it at a time that does not depend on the daemon, which may not even
    /// be ready then.
    func runUntilKilled(afterMilliseconds moment: Int, round: Int) async throws {
        let process = try begin("one")
        let timer = try ChildProcess("/usr/bin/env", ["sleep", "\(Double(moment) / 1000)"])
        async let killed: Void = {
            _ = await timer.ending()
            process.send(SIGKILL)
        }()
        if await notify.wait(for: "READY=1", from: process) {
            while try await request() {}
        } else {
            killsBeforeReady += 1
        }
        await killed
        let ending = await process.ending()
        try #require(
            ending == .signalled(SIGKILL),
            "round \(round): the daemon ended by itself: \(ending)\n\(log)"
        )
    }

    /// Sends the next request: mostly a save, now and then one of a large value, a backup, a synchronization or a
    /// compaction; false when no daemon responds.
    private func request() async throws -> Bool {
        requests += 1
        if compacts, requests.isMultiple(of: 4) { return try await post("/v1/compact") }
        return switch requests % 12 {
        case 3: try await saveOne(bytes: 150_000)
        case 6: try await post("/v1/backup")
        case 9: try await post("/v1/sync")
        default: try await saveOne()
        }
    }

    private func post(_ path: String, _ body: String = "") async throws -> Bool {
        let call = AdminCall(.post, path, body: Array(body.utf8))
        guard let answer = try? await client("one").send(call) else {
            kills[path, default: 0] += 1
            return false
        }
        try #require(answer.isSuccess, "\(path): \(answer.status): \(answer.text)")
        return true
    }

    /// Runs a daemon for a while without a kill: it acknowledges, and may verify a baseline of the other one, cut one
    /// of its own, and remove its segments.
    func exchange(_ peer: String = "two", compacts: Bool) async throws {
        try await run(peer) { client in
            for path in ["/v1/sync", "/v1/transactions", "/v1/sync"] {
                let isSave = path == "/v1/transactions"
                let id = UUID().uuidString.lowercased()
                let body = isSave ? #"{"changes":[{"insert":"Item","id":"\#(id)","values":{"name":"two"}}]}"# : ""
                _ = try await client.answer(.post, path, body)
                if isSave { acknowledged.insert(id.replacing("-", with: "")) }
            }
            if compacts { verified += try await Self.compact(client).baselines.count { $0.verified } }
        }
        try recordRemovals()
    }

    private func recordRemovals() throws {
        let present = try Set(segments())
        removed.formUnion(seen.subtracting(present))
        seen.formUnion(present)
    }

    private static func compact(_ client: AdminClient) async throws -> CompactionReport {
        try await client.answer(.post, "/v1/compact").decode(CompactionReport.self)
    }

    /// Has two daemons make one baseline of the present model, with which a new replica begins.
    ///
    /// The daemons acknowledge nothing meanwhile, and a round without saves follows one in which each has a transaction that
    /// names its baseline.
    private func agree() async throws {
        try configure(acknowledge: "1h")
        var messages: [CompactionReport] = []
        for _ in 0..<4 {
            for peer in ["one", "two"] { try await exchange(peer, compacts: false) }
            for peer in ["one", "two", "one"] {
                let message = try await run(peer) { client in
                    _ = try await client.answer(.post, "/v1/sync")
                    return try await Self.compact(client)
                }
                messages.append(message)
                let isThere =
                    message.baseline.result == .exists
                    && message.baselines.contains { $0.file == message.baseline.file && $0.verified }
                if isThere || message.verification.result == .verified { return }
            }
        }
        Issue.record("the daemons agree on no baseline: \(messages)")
    }

    /// The number of verified baselines that the compactions of daemons without a kill have listed.
    private(set) var verified = 0
    /// The segments that have been in the log folder and are not any more.
    private(set) var removed: Set<String> = []
    private var seen: Set<String> = []

    /// Whether so many kills have met what they are to meet: a daemon that was ready and had saved, and where the daemons
    /// compact, a compaction.
    func hasMetEverything(in rounds: Int) -> Bool {
        guard killsBeforeReady < rounds, !acknowledged.isEmpty else { return false }
        return !compacts || kills["/v1/compact", default: 0] > 0
    }

    private func segments() throws -> [String] {
        let files = FileManager.default.enumerator(atPath: logs)?.compactMap { $0 as? String } ?? []
        return files.filter { !$0.hasPrefix(".") && ($0.hasSuffix(".tlog") || $0.hasSuffix(".baseline")) }
    }

    func writer() async throws -> String {
        try await run("one") { try await $0.text("writer", of: "/v1/status") }
    }

    private func saveOne(bytes: Int = 0) async throws -> Bool {
        let id = UUID().uuidString.lowercased()
        var values = #""name":"from here""#
        if bytes > 0 {
            // Each file has other bytes, and so a name of its own.
            let file = Data(id.utf8) + Data(count: bytes)
            values += #","file":"\#(file.base64EncodedString())""#
        }
        let body = #"{"changes":[{"insert":"Item","id":"\#(id)","values":{\#(values)}}]}"#
        guard try await post("/v1/transactions", body) else { return false }
        acknowledged.insert(id.replacing("-", with: ""))
        return true
    }

    /// Runs the daemon without a kill until everything is imported and exported, and stops it gracefully.
    ///
    /// Where the daemons compact, they agree on a baseline of the present model before, and the first one removes what that
    /// has.
    func settle() async throws {
        if compacts {
            try await agree()
            // Kills may have kept the first daemon from removing anything.
            verified += try await run("one") { client in
                _ = try await client.answer(.post, "/v1/sync")
                return try await Self.compact(client).baselines.count { $0.verified }
            }
            try recordRemovals()
        }
        try await run("one") { client in
            let answer = try await client.answer(.post, "/v1/sync")
            #expect(answer.text.contains("\"remaining\""))
        }
    }

    /// Has the daemon compare its store with a new one that it builds from the log folder, large values included.
    func check() async throws {
        try await run("one") { client in
            let answer = try await client.answer(.post, "/v1/check")
            #expect(answer.text.contains("\"ok\":true"), "\(answer.text)")
        }
    }

    func digest() async throws -> String {
        try await run("one") { try await $0.text("digest", of: "/v1/digest") }
    }

    func digestOfNewReplica() async throws -> String {
        try await run("three") { client in
            let answer = try await client.answer(.post, "/v1/sync")
            #expect(answer.text.contains("\"remaining\":{}"), "\(answer.text)")
            return try await client.text("digest", of: "/v1/digest")
        }
    }

    private func begin(_ peer: String) throws -> ChildProcess {
        notify = try NotifySocket(in: folder)
        return try ChildProcess(
            BuildFolder.executable("tributaryd"),
            ["--config", folder.path("\(peer).yaml")],
            environment: ["NOTIFY_SOCKET": notify.path],
            errors: folder.path("one.log")
        )
    }

    private func run<T>(_ peer: String, _ body: (AdminClient) async throws -> T) async throws -> T {
        let process = try begin(peer)
        try #require(await notify.wait(for: "READY=1", from: process), "the daemon did not start:\n\(log)")
        let result = try await body(client(peer))
        process.send(SIGTERM)
        #expect(await process.ending() == .exited(0), "\(log)")
        return result
    }

    private func client(_ peer: String) -> AdminClient {
        AdminClient(sockets: [folder.path("\(peer).sock")])
    }

    /// The end of the daemon's log, for the message of a failure.
    private var log: String {
        let text = (try? String(contentsOfFile: folder.path("one.log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(20).joined(separator: "\n")
    }

    func exportedSegments() throws -> ExportedSegments { try ExportedSegments(in: logs, besides: [foreign.id]) }

    /// The remains of interrupted work that the next start should have removed.
    func leftovers() throws -> [String] {
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains(".scratch-") || ($0.contains(".staging/") && $0.hasSuffix(".tlog")) }
    }
}

extension AdminClient {
    /// The answer to a request that must succeed.
    fileprivate func answer(
        _ method: AdminCall.Method,
        _ path: String,
        _ body: String? = nil
    ) async throws -> AdminResponse {
        try await send(AdminCall(method, path, body: body.map { Array($0.utf8) })).orProblem()
    }

    /// A text in an answer.
    fileprivate func text(_ member: String, of path: String) async throws -> String {
        let body = try await answer(.get, path).body
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return try #require(object?[member] as? String)
    }
}
