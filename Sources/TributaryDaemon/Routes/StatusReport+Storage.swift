import TributaryAdmin
import TributaryStore
import TributarySync

/// What the status says of the room that the store and the log folder have.
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
