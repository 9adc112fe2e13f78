import TransactionLog
import TributaryChanges
import TributaryStore

extension SyncState {
    /// Loads the state that the store records.
    init(_ reader: Reader, configuration: SyncConfiguration) throws {
        let own = try reader.writers.own().id
        var planner = ImportPlanner(own: own, limits: configuration.limits)
        for writer in try reader.writers.all() {
            planner.setPosition(try SyncRecords.position(of: writer, reader), of: writer.id)
            if writer.state == .abandoned { planner.abandoned.insert(writer.id) }
        }
        planner.isBeginning = planner.positions.allSatisfy { $0.key == own || $0.value.sequence == 0 }
        planner.setAccepted(try reader.setting(StoreKeys.accepted).map(SyncRecords.accepted) ?? [:])
        let pause = try reader.setting(StoreKeys.paused).flatMap { ImportPause($0) }
        self.init(configuration: configuration, planner: planner, pause: pause)
    }
}
