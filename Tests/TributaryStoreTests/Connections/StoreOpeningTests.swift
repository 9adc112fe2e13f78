import Foundation
import TestSupport
import Testing
import TributaryModel

@testable import TributaryStore

/// Files, their modes, and the files that remain after a clean stop.
struct StoreOpeningTests {
    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test func filesAreReadableForTheGroupAlone() throws {
        let fixture = try StoreFixture()
        try fixture.hire()
        for suffix in ["", "-wal", "-shm"] {
            #expect(try mode(fixture.path + suffix) == 0o640, "\(suffix)")
        }
    }

    @Test func aReaderWithoutRightsToWriteReadsAfterACleanStop() async throws {
        let fixture = try StoreFixture()
        try fixture.hire(3)
        try fixture.store.close()
        #expect(FileManager.default.fileExists(atPath: fixture.path + "-wal"))
        #expect(FileManager.default.fileExists(atPath: fixture.path + "-shm"))
        // The tool runs as another user of the group, without the right to write the file or its folder.
        let tools = ["/usr/bin/setpriv", "/usr/bin/sqlite3"]
        guard getuid() == 0, tools.allSatisfy({ FileManager.default.isExecutableFile(atPath: $0) }) else {
            print("skipped: it takes root, setpriv and sqlite3 to read as another user")
            return
        }
        let reader = try ChildProcess(
            tools[0],
            [
                "--reuid=65534", "--regid=\(getgid())", "--clear-groups", tools[1],
                "file:\(fixture.path)?mode=ro", "SELECT count(*) FROM Employee",
            ],
            output: fixture.folder.path("answer"),
            errors: fixture.folder.path("errors")
        )
        #expect(await reader.ending() == .exited(0))
        #expect(try String(contentsOfFile: fixture.folder.path("answer"), encoding: .utf8) == "3\n")
        #expect(try String(contentsOfFile: fixture.folder.path("errors"), encoding: .utf8) == "")
    }

    @Test func committedChangesAreThereAfterOpeningAgain() throws {
        let fixture = try StoreFixture()
        try fixture.hire(2)
        try fixture.store.close()
        let again = try Store.open(fixture.store.configuration)
        #expect(try again.read { try $0.census().employees } == 2)
        #expect(try fixture.hire(on: again) == 2)
        try again.close()
    }

    @Test func aClosedStoreSaysSo() throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin()
        try fixture.store.close()
        try fixture.store.close()
        #expect(throws: StoreError.closed) { try fixture.store.read { _ in } }
        #expect(throws: StoreError.closed) { try fixture.store.write { _ in } }
        #expect(throws: StoreError.closed) { try fixture.store.pin() }
        #expect(throws: StoreError.closed) { try generation.read { _ in } }
    }

    @Test func aFolderThatIsNotThereIsNamed() throws {
        let model = try StoreFixture.company()
        let configuration = StoreConfiguration(path: "/nonexistent/folder/store.sqlite", name: "test", model: model)
        #expect(
            throws: StoreError.cannotOpen(path: "/nonexistent/folder/store.sqlite", reason: "No such file or directory")
        ) {
            try Store.open(configuration)
        }
    }

    @Test func aFileThatIsNoStoreIsRefused() throws {
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
            guard case StoreError.cannotOpen(let path, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(path == folder.path("letter"))
            #expect(reason.contains("not a database"))
        }
    }
}
