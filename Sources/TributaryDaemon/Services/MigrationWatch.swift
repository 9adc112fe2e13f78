import Logging
import TributaryAdmin
import TributaryInference
import TributaryMigration

/// Reports a migration to administrators and the service manager, and interrupts it when the daemon stops.
struct MigrationWatch {
    private static let grant = Duration.seconds(30)

    let state: DaemonState
    let notifier: SystemdNotifier
    let logger: Logger

    var settings: MigrationSettings {
        var settings = MigrationSettings()
        settings.report = { reportProgress($0) }
        settings.shouldStop = { [state] in state.phase == .stopping }
        return settings
    }

    static func status(_ progress: MigrationProgress) -> String {
        let head = "Migrating the store from model version '\(progress.from)' to '\(progress.to)'"
        guard let entity = progress.entity else { return head }
        return "\(head): \(entity), \(progress.done) of \(progress.total) objects"
    }

    private func reportProgress(_ progress: MigrationProgress) {
        let isBeginning = state.phase == .starting
        for loss in progress.losses {
            let words = isBeginning ? "The migration drops values" : "The migration has dropped values"
            logger.warning("\(words)", metadata: ["what": "\(loss)"])
        }
        if isBeginning {
            state.migrate()
            logger.notice("Migrating the store", metadata: ["from": "\(progress.from)", "to": "\(progress.to)"])
        }
        notifier.status(MigrationWatch.status(progress))
        notifier.extendTimeout(by: MigrationWatch.grant)
    }
}
