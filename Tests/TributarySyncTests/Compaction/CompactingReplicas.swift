import Foundation
import Logging
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Replicas with one log folder that exchange and compact on request, at a time at which all files are old.
final class CompactingReplicas {
    let logs: LogsFolder
    let wall = SyncWall()
    let model: Model?
    var replicas: [SyncReplica] = []

    init(model: Model? = nil) throws {
        self.model = model
        logs = try LogsFolder()
        // The files have the time of the machine.
        let ahead = Date(timeIntervalSinceNow: 3_600).timeIntervalSince1970 * 1_000
        wall.advance(milliseconds: UInt64(ahead) - SyncWall.start.milliseconds)
    }

    /// Replicas that have each other's first object and acknowledged it.
    static func filled(_ count: Int, trust: TrustSettings? = nil) async throws -> CompactingReplicas {
        let group = try CompactingReplicas()
        for number in 1...UInt64(count) { try await group.add(trust: trust).save([SyncModel.insert(number)]) }
        try await group.exchange()
        try await group.acknowledge()
        #expect(try group.digests().count == 1)
        return group
    }

    @discardableResult
    func add(
        in folder: TemporaryFolder? = nil,
        trust: TrustSettings? = nil,
        model: Model? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) async throws -> SyncReplica {
        let replica = try await SyncReplica(
            logs.path,
            wall: wall,
            folder: folder,
            model: model ?? self.model,
            hasExternalPhotos: true,
            signs: trust != nil,
            logger: logger,
            configure: {
                $0.trust = trust ?? TrustSettings()
                $0.keepSegments = .seconds(60)
                $0.incompleteGrace = .milliseconds(1)
            }
        )
        replicas.append(replica)
        return replica
    }

    /// Exports and imports; then each has what the others had before.
    func exchange() async throws {
        for replica in replicas { try await replica.service.exportNow() }
        for replica in replicas {
            try await replica.service.importAll()
            // A gap counts once its grace is over.
            wall.advance(milliseconds: 10)
            try await replica.service.importAll()
        }
    }

    /// Lets each replica acknowledge what it has, and exchange that.
    func acknowledge() async throws {
        for replica in replicas { try replica.save([]) }
        try await exchange()
    }

    @discardableResult
    func compact(_ replica: SyncReplica, _ mode: Compactor.Mode = .requested) async throws -> CompactionReport {
        try await replica.service.importAll()
        return try await Compactor(sync: replica.service).compact(mode)
    }

    /// Cuts, verifies and removes; the first replica cuts.
    func compactAll() async throws {
        for _ in 0..<2 {
            for replica in replicas { try await compact(replica) }
            try await exchange()
        }
    }

    /// Compacts, acknowledges the baselines, and removes what they have.
    func compactAndPrune() async throws {
        try await compactAll()
        try await acknowledge()
        try await compactAll()
    }

    func digests() throws -> Set<String> {
        Set(try replicas.map { try $0.store.read { try $0.mergeState.digest().digest } })
    }

    /// The names of the files in the writers' folders with an ending, below the log folder.
    func files(_ ending: String) -> Set<String> {
        let files = FileManager.default.enumerator(atPath: logs.path)?.compactMap { $0 as? String } ?? []
        return Set(files.filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") })
    }

    func bytes() -> Int {
        let files = FileManager.default.enumerator(atPath: logs.path)?.compactMap { $0 as? String } ?? []
        return files.reduce(0) { sum, file in
            let facts = try? FileManager.default.attributesOfItem(atPath: "\(logs.path)/\(file)")
            guard facts?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (facts?[.size] as? Int ?? 0)
        }
    }
}

extension CompactionReport {
    /// The baseline that was cut, or would be cut; nil when none was.
    var cut: BaselineName? {
        guard baseline.result == .cut, let parts = baseline.file?.split(separator: "/"),
            let writer = UniqueID(parts[0]), let sequence = UInt64(parts[1].prefix(16), radix: 16)
        else { return nil }
        return BaselineName(writer: writer, sequence: sequence)
    }
}
