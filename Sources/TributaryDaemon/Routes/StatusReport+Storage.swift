import Foundation
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

extension StatusReport {
    static func addFolderQuota(
        of engine: Engine,
        _ daemon: AdminServices,
        _ records: [WriterRecord],
        _ notices: inout [Problem],
        to status: inout StatusMessage
    ) async {
        guard let limit = daemon.state.configuration.sync.maxBytes,
            let size = await engine.folderSize.measured(at: engine.wallTime)
        else { return }
        status.logFolder = StatusMessage.LogFolder(files: size.files, bytes: size.bytes, maxBytes: limit)
        let known = engine.sync.knownTransactions(records)
        let quota = FolderQuota(
            of: engine.sync.logs,
            limit: limit,
            size: size,
            compaction: await engine.compactor.last?.report,
            name: { known.name(of: $0) }
        )
        if let index = status.problems.firstIndex(where: { $0.code == .folderFull }) {
            status.problems[index] = quota.completing(status.problems[index])
        } else if let notice = quota.notice {
            notices.append(notice)
        }
    }

    /// The bytes that a read transaction may keep in the WAL without a report; usually the WAL has some 4 MiB.
    private static let keptBytes: Int64 = 16 << 20
    private static let namedReaders = 3

    static func readerNotice(of engine: Engine, walBytes: Int64?) -> Problem? {
        guard let walBytes, walBytes >= keptBytes else { return nil }
        let store = engine.container.store
        let readers = store.blockingReaders(keeping: keptBytes)
        guard !readers.isEmpty else { return nil }
        let path = store.configuration.path
        let processes = readers.compactMap(\.process).prefix(namedReaders)
        let names = processes.map { process in "\(process)\(programName(of: process).map { " (\($0))" } ?? "")" }
        let subject =
            switch names.count {
            case 0: "A process of another container reads"
            case 1: "Process \(names[0]) reads"
            default: "Processes \(names.joined(separator: ", ")) read"
            }
        let hint =
            processes.isEmpty
            ? "Have that program end its transaction. To find it, on the host: fuser -v \("\(path)-shm".shellWord)"
            : "Have that program end its transaction, or end the program. To see it: ps -fp "
                + "\(processes.map(String.init).joined(separator: ",")). To end it: kill "
                + processes.map(String.init).joined(separator: " ")
        return Problem(
            .checkpointBlocked,
            detail: "\(path)-wal has grown to \(ByteText.text(walBytes)). \(subject) an old state of the store in a "
                + "transaction that does not end. Until then SQLite copies no newer state into the store's file.",
            hint: hint
        )
    }

    /// Nil for a process that the daemon may not see, such as another user's under `ProtectProc=invisible`.
    private static func programName(of process: Int32) -> String? {
        let text = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return text.map { EscapedText.escape($0.trimmingCharacters(in: .newlines)) }
    }

    static func addDisks(
        of engine: Engine,
        _ limits: DiskLimits,
        _ notices: inout [Problem],
        to status: inout StatusMessage
    ) async {
        let volumes = await engine.disks.volumes()
        status.disks = volumes.isEmpty ? nil : volumes.map { StatusMessage.Disk($0) }
        for volume in volumes {
            switch volume.finding(limits) {
            case (.notice, let problem)?: notices.append(problem)
            case (.problem, let problem)?: status.problems.append(problem)
            case nil: break
            }
        }
    }
}

extension StatusMessage.Disk {
    init(_ volume: DiskVolume) {
        var daysLeft: Double?
        let outlook: String
        switch volume.outlook {
        case .unknown: outlook = "unknown"
        case .steady: outlook = "steady"
        case .filling(let days): (outlook, daysLeft) = ("filling", days)
        }
        self.init(
            holds: volume.places.map(\.rawValue),
            paths: volume.places.compactMap { volume.paths[$0] },
            freeBytes: volume.free,
            totalBytes: volume.total,
            outlook: outlook
        )
        self.daysLeft = daysLeft
    }
}
