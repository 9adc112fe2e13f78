import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A daemon whose disk fails when a test says so, a peer whose disk does not, and a foreign writer; and a record of what
/// the daemon has acknowledged and refused.
final class FaultyReplica {
    let control: FaultControl
    private let folder: TemporaryFolder
    private let one: RunningDaemon
    private let two: RunningDaemon
    private var foreign = RunningDaemon.foreignWriter()
    private var acknowledged: Set<String> = []
    private var refused: Set<String> = []
    private var dropped: Set<String> = []
    private var increments = 0
    private static let tally = "0190f1a2-0000-7000-8000-0000000000ff"

    init() async throws {
        folder = try TemporaryFolder("faults")
        control = try await FaultControl(in: folder)
        one = try RunningDaemon("one", in: folder)
        two = try RunningDaemon("two", in: folder)
        try folder.write(
            """
            version: "1"
            entities:
              Item:
                attributes:
                  name: {type: String, optional: true}
                  file: {type: Binary, optional: true, external: true}
              Tally:
                attributes:
                  count: {type: Integer 64, optional: true, merge: counter}
            """,
            to: "model.yaml"
        )
        try foreign.write([[#"{"insert":"Tally","id":"\#(Self.tally)","values":{"count":0}}"#]], to: one.logs)
    }

    /// Cancels the test where the machine cannot make a disk fail.
    static func started() async throws -> FaultyReplica {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let replica = try await FaultyReplica()
        try await replica.start()
        try await replica.startPeer()
        return replica
    }

    var journal: String { one.log }

    func start() async throws {
        try await one.start(through: "/usr/bin/env", control.environment.map { "\($0)=\($1)" })
    }

    func startPeer() async throws { try await two.start() }

    func stop() async -> ChildProcess.Ending? { await one.stop() }

    /// Kills the daemon; what it has refused may have reached the disk.
    func kill() async {
        one.kill()
        _ = await one.process?.ending()
        refused = []
    }

    /// Starts the daemon, which cannot become ready, and returns how it ends, with its journal.
    func startInVain() async throws -> (ending: ChildProcess.Ending, journal: String) {
        let notify = try NotifySocket(in: folder)
        let process = try ChildProcess(
            BuildFolder.executable("tributaryd"),
            ["--config", one.configuration],
            environment: control.environment.merging(["NOTIFY_SOCKET": notify.path]) { $1 },
            errors: folder.path("vain.log")
        )
        if await notify.wait(for: "READY=1", from: process) { process.send(SIGKILL) }
        let ending = await process.ending()
        return (ending, try String(contentsOfFile: folder.path("vain.log"), encoding: .utf8))
    }

    // MARK: Work

    /// Saves an item; false when the daemon refused it.
    func save(name: Int = 10, file: Int = 0) async throws -> AdminResponse? {
        let id = UUID().uuidString.lowercased()
        var values = #""name":"\#(String(repeating: "n", count: name))""#
        if file > 0 {
            let bytes = Data((0..<file).map { _ in UInt8.random(in: 0...255) })
            values += #","file":"\#(bytes.base64EncodedString())""#
        }
        let body = #"{"changes":[{"insert":"Item","id":"\#(id)","values":{\#(values)}}]}"#
        let answer = try await one.client.send(AdminCall(.post, "/v1/transactions", body: Array(body.utf8)))
        let item = id.replacing("-", with: "")
        if answer.isSuccess { acknowledged.insert(item) } else { refused.insert(item) }
        return answer.isSuccess ? nil : answer
    }

    func dropSegment(items: Int = 20) throws {
        var changes = [#"{"update":"Tally","id":"\#(Self.tally)","values":{"count":{"increment":1}}}"#]
        increments += 1
        for _ in 0..<items {
            let id = UUID().uuidString.lowercased()
            dropped.insert(id.replacing("-", with: ""))
            changes.append(#"{"insert":"Item","id":"\#(id)","values":{"name":"from outside"}}"#)
        }
        try foreign.write([changes], to: one.logs)
    }

    func synchronize() async throws -> AdminResponse { try await one.client.send(AdminCall(.post, "/v1/sync")) }

    func backUp() async throws -> AdminResponse { try await one.client.send(AdminCall(.post, "/v1/backup")) }

    /// The codes of the problems in the daemon's status, which it must report at any time.
    func problems() async throws -> [String] { try await one.problems() }

    // MARK: Checks

    /// Compares both daemons after the failure has ended: the daemon has no problem any more, nothing that it has
    /// acknowledged is missing, nothing that it has refused is there, and the folder contains whole files only.
    func expectRecovery(_ comment: Comment) async throws {
        // A failed checkpoint is tried again after each save, and ends the problem when nobody reads meanwhile.
        var attempts = 0
        repeat {
            attempts += 1
            let refusal = try await save()
            #expect(refusal == nil, "\(comment.rawValue): \(refusal?.text ?? "")")
            let answer = try await synchronize()
            #expect(answer.isSuccess, "\(comment.rawValue): \(answer.text)")
        } while try await !problems().isEmpty && attempts < 20
        #expect(try await problems().isEmpty, comment)
        let merged = try await two.client.send(AdminCall(.post, "/v1/sync"))
        #expect(merged.isSuccess, "\(comment.rawValue): \(merged.text)")
        #expect(try await one.digest() == two.digest(), comment)
        for store in [one.store, two.store] {
            let sql = PlainSQL(path: store)
            let items = Set(try sql.rows("SELECT _id FROM Item").compactMap { $0[0] })
            #expect(acknowledged.subtracting(items).isEmpty, comment)
            #expect(dropped.subtracting(items).isEmpty, comment)
            #expect(refused.intersection(items).isEmpty, comment)
            #expect(try sql.value("SELECT count FROM Tally") == String(increments), comment)
        }
        #expect(try unfinishedFiles().isEmpty, comment)
    }

    /// Has the daemon compare its store with a new one that it builds from the log folder.
    func expectCheckWithoutProblems(_ comment: Comment) async throws {
        let (status, report) = try await one.call(.post, "/v1/check")
        #expect(status == 200 && report["ok"] as? Bool == true, "\(comment.rawValue): \(report)")
    }

    /// The segments that are not whole, and the remains of writes that failed.
    func unfinishedFiles() throws -> [String] {
        let own = try FileManager.default.contentsOfDirectory(atPath: one.logs)
        let peer = try PlainSQL(path: two.store).value("SELECT uuid FROM tributary_writer WHERE id = 1") ?? ""
        let others = own.filter { $0 == foreign.id || $0.replacing("-", with: "") == peer.replacing("-", with: "") }
        var found = try ExportedSegments(in: one.logs, besides: Set(others)).problems
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        found += files.filter { file in
            (file.contains(".staging/") && file.hasSuffix(".tlog")) || file.contains(".draft-")
                || file.contains(".scratch-")
        }
        return found
    }
}
