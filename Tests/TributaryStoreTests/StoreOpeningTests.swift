import Foundation
import GRDB
import TestSupport
import Testing
import TributaryModel

@testable import TributaryStore

/// Files, their modes, and what is left after a clean stop.
struct StoreOpeningTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test
    func filesAreReadableForTheGroupAlone() throws {
        let fixture = try StoreFixture()
        try fixture.hire()
        for suffix in ["", "-wal", "-shm"] {
            #expect(try mode(fixture.path + suffix) == 0o640, "\(suffix)")
        }
    }

    @Test
    func aReaderWithoutRightsToWriteReadsAfterACleanStop() throws {
        let fixture = try StoreFixture()
        try fixture.hire(3)
        try fixture.store.close()
        #expect(FileManager.default.fileExists(atPath: fixture.path + "-wal"))
        #expect(FileManager.default.fileExists(atPath: fixture.path + "-shm"))
        // What such a reader finds: files and a folder that it cannot write.
        let uri = "file:\(fixture.path)?mode=ro"
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: uri, configuration: configuration)
        let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Employee") }
        #expect(count == 3)
    }

    @Test
    func whatWasCommittedIsThereAfterOpeningAgain() throws {
        let fixture = try StoreFixture()
        try fixture.hire(2)
        try fixture.store.close()
        let again = try Store.open(fixture.store.configuration)
        #expect(try again.read { try $0.census().employees } == 2)
        #expect(try fixture.hire(on: again) == 2)
        try again.close()
    }

    @Test
    func aClosedStoreSaysSo() throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin()
        try fixture.store.close()
        try fixture.store.close()
        #expect(throws: StoreError.closed) { try fixture.store.read { _ in } }
        #expect(throws: StoreError.closed) { try fixture.store.write { _ in } }
        #expect(throws: StoreError.closed) { try fixture.store.pin() }
        #expect(throws: StoreError.closed) { try generation.read { _ in } }
    }

    @Test
    func aFolderThatIsNotThereIsNamed() throws {
        let model = try StoreFixture.company()
        let configuration = StoreConfiguration(path: "/nonexistent/folder/store.sqlite", name: "test", model: model)
        #expect(
            throws: StoreError.cannotOpen(path: "/nonexistent/folder/store.sqlite", reason: "No such file or directory")
        ) {
            try Store.open(configuration)
        }
    }

    @Test
    func aFileThatIsNoStoreIsRefused() throws {
        let folder = try TemporaryFolder("store")
        try folder.write(String(repeating: "This is a letter, no database. ", count: 200), to: "letter")
        let configuration = StoreConfiguration(
            path: folder.path("letter"),
            name: "test",
            model: try StoreFixture.company()
        )
        do {
            _ = try Store.open(configuration)
            Issue.record("the letter was opened")
        } catch {
            guard case .cannotOpen(let path, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(path == folder.path("letter"))
            #expect(reason.contains("not a database"))
        }
    }
}
