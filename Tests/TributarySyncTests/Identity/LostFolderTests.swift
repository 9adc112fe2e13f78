import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A store whose own folder has vanished from the log folder.
@Suite struct LostFolderTests {
    @Test func theFolderIsMadeOnceOrTheReasonIsTold() throws {
        let (folder, logs, wall) = (try TemporaryFolder("lost"), try LogsFolder(), SyncWall())
        let store = try SyncModel.open(in: folder, wall: wall)
        _ = try store.write { try $0.commit(LocalTransaction(changes: [SyncModel.insert(1)])) }
        let own = try store.read { try $0.writers.own().id }
        let exporter = Exporter(store: store, configuration: SyncConfiguration(logs: logs.path), wall: wall.now)
        _ = try exporter.run()
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(own)")
        // Where another writer has a folder, there is no mount point.
        try logs.hire(LogsFolder.writer(1), 1...1)

        let lost = try store.read { try LostFolder(in: LogFolder(path: logs.path), $0) }
        #expect(lost.lacking == own)
        for _ in 0..<2 {
            // The second time, somebody else has made it meanwhile.
            #expect(try lost.make() && FileManager.default.fileExists(atPath: "\(logs.path)/\(own)"))
        }
        try FileManager.default.removeItem(atPath: logs.path)
        let error = #expect(throws: SegmentError.self) { try lost.make() }
        #expect(error?.file == "\(logs.path)/\(own)")
    }
}
