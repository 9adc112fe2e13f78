import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A backup that is put into the place of a store.
@Suite struct RestoredStoreTests {
    @Test func aWholeBackupIsAdoptedAndADamagedOneRefused() async throws {
        let replica = try Replica()
        let people = (1...200).map { number in
            Change.insert("Person", number, ["name": .string(String(repeating: "Ann", count: 100))])
        }
        _ = try replica.store.write { try $0.commit(LocalTransaction(changes: people)) }
        let folder = try TemporaryFolder("restored")
        let (whole, damaged) = (folder.path("whole.sqlite"), folder.path("damaged.sqlite"))
        #expect(try await replica.store.copy(to: whole) { _, _ in } == 0)
        // A page in the middle is lost, as on a bad disk: the hash is that of the damaged file.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        let middle = bytes.count / 2 / 4096 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0xA5, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: damaged))

        func adopt(_ path: String) throws {
            try RestoredStore(path: path).adopt(restoredAt: 1, sha256: FileHash.sha256(ofFile: path))
        }
        let error = #expect(throws: StoreError.self) { try adopt(damaged) }
        guard case .cannotOpen(damaged, let reason)? = error else { throw error ?? .closed }
        #expect(reason.hasPrefix("it is damaged: "))
        try adopt(whole)
        #expect(try PlainSQL(path: whole).value("SELECT count(*) FROM Person") == "200")
    }

    /// Somebody copies a backup over a store by hand: the store with its table of large values is copied again.
    @Test func aCopyOfACopyIsWhole() async throws {
        let replica = try Replica()
        try replica.commit(.insert("Person", 1))
        let folder = try TemporaryFolder("restored")
        let (first, second) = (folder.path("first.sqlite"), folder.path("second.sqlite"))
        #expect(try await replica.store.copy(to: first) { _, _ in } == 0)
        let configuration = StoreConfiguration(path: first, name: "copied", model: replica.store.model)
        let copied = try Store.open(configuration)
        #expect(try await copied.copy(to: second) { _, _ in } == 0)
        try copied.close()
        #expect(try PlainSQL(path: second).value("SELECT count(*) FROM Person") == "1")
    }
}
