import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

/// A daemon that is killed and restarted over one store, a foreign writer that gives it segments, and a record of the
/// expected final state.
final class KilledReplica {
    private(set) var droppedItems: Set<String> = []
    private(set) var acknowledged: Set<String> = []
    private(set) var increments = 0
    private(set) var killsBeforeReady = 0
    private let folder: TemporaryFolder
    /// The socket of one process, so that messages of the previous process are not attributed to the next one.
    private var notify: NotifySocket
    private var foreign: ForeignWriter
    private let tally = "0190f1a2-0000-7000-8000-0000000000ff"
    private var running: ChildProcess?

    init(seed: UInt64) throws {
        folder = try TemporaryFolder("kill")
        notify = try NotifySocket(in: folder)
        foreign = ForeignWriter(
            id: "5f0c0000-0000-4000-8000-000000000001",
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000) - 60_000
        )
        try folder.write(
            """
            version: "1"
            entities:
              Item:
                attributes:
                  name: {type: String, optional: true}
              Tally:
                attributes:
                  count: {type: Integer 64, optional: true, merge: counter}
            """,
            to: "model.yaml"
        )
        for peer in ["one", "two"] {
            try folder.write(
                """
                name: "\(peer)"
                store: \(folder.path("\(peer).sqlite"))
                model: \(folder.path("model.yaml"))
                logs: \(folder.path("logs"))
                merge: {debounce: 20ms, ceiling: 100ms}
                export: {debounce: 10ms, segment_bytes: 2KiB}
                admin: {socket: \(folder.path("\(peer).sock"))}
                """,
                to: "\(peer).yaml"
            )
        }
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: true)
        try foreign.write([[#"{"insert":"Tally","id":"\#(tally)","values":{"count":0}}"#]], to: logs)
        print("seed \(seed)")
    }

    var store: String { folder.path("one.sqlite") }
    private var logs: String { folder.path("logs") }

    /// Writes a few segments with items to insert and a counter to increment.
    func dropSegments(using random: inout SeededGenerator) throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            var transactions: [[String]] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                var changes: [String] = []
                for _ in 0..<Int.random(in: 1...40, using: &random) {
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

    /// Starts the daemon, saves through it, and kills it at a time that does not depend on the daemon, which may not
    /// even be ready then.
    func runUntilKilled(afterMilliseconds moment: Int, round: Int) async throws {
        notify = try NotifySocket(in: folder)
        let process = try ChildProcess(
            BuildFolder.executable("tributaryd"),
            ["--config", folder.path("one.yaml")],
            environment: ["NOTIFY_SOCKET": notify.path],
            errors: folder.path("one.log")
        )
        let timer = try ChildProcess("/usr/bin/env", ["sleep", "\(Double(moment) / 1000)"])
        async let killed: Void = {
            _ = await timer.ending()
            process.send(SIGKILL)
        }()
        if await notify.wait(for: "READY=1", from: process) {
            while try await saveOne() {}
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

    /// Inserts one object; false when no daemon responds.
    private func saveOne() async throws -> Bool {
        let id = UUID().uuidString.lowercased()
        let body = #"{"changes":[{"insert":"Item","id":"\#(id)","values":{"name":"from here"}}]}"#
        let call = AdminCall(.post, "/v1/transactions", body: Array(body.utf8))
        guard let answer = try? await client("one").send(call) else { return false }
        try #require(answer.isSuccess, "\(answer.status): \(answer.text)")
        acknowledged.insert(id.replacing("-", with: ""))
        return true
    }

    /// Runs the daemon without a kill until everything is imported and exported, and stops it gracefully.
    func settle() async throws {
        try await run("one") { client in
            let answer = try await client.send(AdminCall(.post, "/v1/sync")).orProblem()
            #expect(answer.text.contains("\"remaining\""))
        }
    }

    func digest() async throws -> String {
        try await run("one") { try await Self.digest(of: $0) }
    }

    /// Returns the digest of another replica, which has only the log folder.
    func digestOfSecondReplica() async throws -> String {
        try await run("two") { client in
            _ = try await client.send(AdminCall(.post, "/v1/sync")).orProblem()
            return try await Self.digest(of: client)
        }
    }

    private static func digest(of client: AdminClient) async throws -> String {
        let answer = try await client.send(AdminCall(.get, "/v1/digest")).orProblem()
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return try #require(object?["digest"] as? String)
    }

    private func run<T>(_ peer: String, _ body: (AdminClient) async throws -> T) async throws -> T {
        notify = try NotifySocket(in: folder)
        let process = try ChildProcess(
            BuildFolder.executable("tributaryd"),
            ["--config", folder.path("\(peer).yaml")],
            environment: ["NOTIFY_SOCKET": notify.path],
            errors: folder.path("one.log")
        )
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

    /// Reads the segments that the daemon has exported, without its own reader.
    func exportedSegments() throws -> (items: [String], problems: [String]) {
        let others = [foreign.id, ".staging"]
        let folders = try FileManager.default.contentsOfDirectory(atPath: logs).filter { !others.contains($0) }
        try #require(folders.count == 1, "the daemon has one folder of its own: \(folders)")
        let path = "\(logs)/\(folders[0])"
        var items: [String] = []
        var problems: [String] = []
        var next = 1
        var previous: String?
        for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            let objects = try lines.map { try JSONSerialization.jsonObject(with: $0) as? [String: Any] ?? [:] }
            guard let header = objects.first, let end = objects.last, let last = lines.last else { continue }
            if header["first"] as? Int != next { problems.append("\(name): a hole before") }
            if header["previous"] as? String != previous { problems.append("\(name): the chain is broken") }
            let body = bytes.prefix(bytes.count - last.count - 1)
            let hash = SHA256.hash(data: body).hexadecimal
            if end["sha256"] as? String != hash { problems.append("\(name): the hash is wrong") }
            previous = hash
            next = (header["last"] as? Int ?? 0) + 1
            for object in objects where object["insert"] as? String == "Item" {
                if let id = object["id"] as? String { items.append(id.replacing("-", with: "")) }
            }
        }
        return (items, problems)
    }
}
