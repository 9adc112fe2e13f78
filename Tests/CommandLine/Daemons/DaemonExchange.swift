import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

/// Two daemons and two foreign writers with one log folder, which write a random history, and a third daemon that
/// starts last and has the larger model from the start.
final class DaemonExchange {
    struct State {
        var digest: String
        var rows: [String]
    }

    private let folder: TemporaryFolder
    private var generator: ChangeGenerator
    private var daemons: [RunningDaemon] = []
    private var hasGrown: [Bool] = []
    private var produced: [TransactionHeader?] = [nil, nil]

    init(seed: UInt64) throws {
        folder = try TemporaryFolder("exchange")
        generator = ChangeGenerator(SeededGenerator(seed: seed))
    }

    func play() async throws {
        for _ in 0..<2 { try await add(isGrown: false) }
        for _ in 0..<generator.number(15...30) { try await step() }
        try await exchange()
        for index in daemons.indices where !hasGrown[index] { try await upgrade(index) }
        try await add(isGrown: true)
        try await exchange()
    }

    func stop() async {
        for daemon in daemons { _ = await daemon.stop() }
    }

    func states() async throws -> [State] {
        var states: [State] = []
        for daemon in daemons {
            let (status, answer) = try await daemon.call(.get, "/v1/digest")
            try #require(status == 200)
            var rows: [String] = []
            for entity in ["Person", "Department", "Project", "Desk", "Ghost"] {
                let lists = [
                    "Person": "projects,friends,visited,rivals", "Department": "employees", "Project": "members",
                ]
                let include = lists[entity].map { "?include=\($0)" } ?? ""
                let (status, answer) = try await daemon.call(.get, "/v1/objects/\(entity)\(include)")
                try #require(status == 200)
                for var object in answer["objects"] as? [[String: Any]] ?? [] {
                    // The number is the store's own.
                    object["version"] = nil
                    let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
                    rows.append(String(decoding: data, as: UTF8.self))
                }
            }
            states.append(State(digest: answer["digest"] as? String ?? "", rows: rows))
        }
        return states
    }

    private func step() async throws {
        let index = generator.number(0...(daemons.count - 1))
        switch generator.number(0...9) {
        case 0...3: try await save(index)
        case 4...6: try produce(generator.number(0...(produced.count - 1)))
        case 7...8: try await sync(index)
        default: if !hasGrown[index], generator.number(0...2) == 0 { try await upgrade(index) }
        }
    }

    private func save(_ index: Int) async throws {
        var bytes: [UInt8] = []
        for change in generator.changes(isKnown: true) { change.write(to: &bytes) }
        let changes = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: ",")
        let (status, _) = try await daemons[index].call(.post, "/v1/transactions", "{\"changes\":[\(changes)]}")
        #expect([200, 400, 404, 409, 422].contains(status), "a transaction was answered with \(status)")
    }

    private func produce(_ index: Int) throws {
        let changes = generator.changes(isKnown: false)
        let last = produced[index]
        let wall = WallTime(milliseconds: UInt64(Date().timeIntervalSince1970) * 1000)
        let header = TransactionHeader(
            sequence: (last?.sequence ?? 0) + 1,
            clock: (last?.clock ?? .zero).next(at: wall),
            changeCount: changes.count
        )
        produced[index] = header
        let writer = UniqueID(high: index == 0 ? 1 : .max, low: UInt64(index) + 1)
        let segment = SegmentText(writer: writer, [LogTransaction(header: header, changes: changes)])
        let place = URL(fileURLWithPath: folder.path("logs") + "/" + segment.name.path)
        let parent = place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        // The file is written under another name and renamed.
        try Data(segment.bytes()).write(to: place, options: .atomic)
    }

    private func add(isGrown: Bool) async throws {
        let daemon = try RunningDaemon("daemon\(daemons.count)", in: folder)
        daemons.append(daemon)
        hasGrown.append(isGrown)
        try configure(daemon, isGrown: isGrown)
        try await daemon.start()
    }

    private func upgrade(_ index: Int) async throws {
        _ = await daemons[index].stop()
        hasGrown[index] = true
        try configure(daemons[index], isGrown: true)
        try await daemons[index].start()
    }

    private func configure(_ daemon: RunningDaemon, isGrown: Bool) throws {
        try folder.write(SimulationModel.text, to: "small.yaml")
        try folder.write(SimulationModel.grownText, to: "grown.yaml")
        try folder.write(
            """
            name: \(daemon.name)
            store: \(daemon.store)
            model: \(folder.path(isGrown ? "grown.yaml" : "small.yaml"))
            logs: \(daemon.logs)
            merge: {debounce: 20ms, ceiling: 100ms}
            export: {debounce: 10ms}
            admin: {socket: \(daemon.socket)}
            """,
            to: "\(daemon.name).yaml"
        )
    }

    private func sync(_ index: Int) async throws {
        let (status, _) = try await daemons[index].call(.post, "/v1/sync")
        #expect(status == 200)
    }

    /// Lets each daemon import all changes of the others: exports precede the imports of the next round.
    private func exchange() async throws {
        for _ in 0..<2 {
            for index in daemons.indices { try await sync(index) }
        }
    }
}
