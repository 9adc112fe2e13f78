import Foundation
import TestSupport
import Testing
import TributaryModel

@testable import TributaryStore

/// A store in memory: a private folder that needs no cleaning up.
struct MemoryStoreTests {
    private func model() throws -> Model {
        var note = EntityDefinition(name: "Note")
        var text = Attribute(name: "text", type: .string)
        text.isOptional = true
        note.attributes = [text]
        return try Model(version: "1", entities: [note])
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test
    func theFolderGoesWhenTheStoreCloses() throws {
        let configuration = try StoreConfiguration.memory(name: "memory", model: model())
        let folder = try #require(configuration.memory).path
        let store = try Store.open(configuration)
        #expect(try names(folder).contains("store.sqlite"))
        #expect(try store.read { try $0.history.newestTransaction() } == 0)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test
    func theFolderGoesWithItsLastOwner() throws {
        var configuration: StoreConfiguration? = try StoreConfiguration.memory(name: "memory", model: model())
        let folder = try #require(configuration?.memory).path
        configuration = nil
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test
    func aFolderIsPrivate() throws {
        let parent = try TemporaryFolder("memory")
        let folder = try MemoryFolder(in: parent.path)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test
    func filesOfAKilledProcessAreSweptAndFilesInUseStay() throws {
        let parent = try TemporaryFolder("memory")
        let used = try MemoryFolder(in: parent.path)
        // The lock of a killed process is released, but its folder remains.
        let left = parent.path("tributary-memory-\(getuid())-left")
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: URL(fileURLWithPath: left + "/store.sqlite"))
        let foreign = parent.path("something-else")
        try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: false)
        let next = try MemoryFolder(in: parent.path)
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: foreign))
        #expect(FileManager.default.fileExists(atPath: used.path))
        #expect(FileManager.default.fileExists(atPath: next.path))
        next.remove()
        #expect(FileManager.default.fileExists(atPath: used.path))
        #expect(!FileManager.default.fileExists(atPath: next.path))
    }

    @Test
    func aParentThatIsNotThereIsAnErrorWithItsPath() {
        #expect(throws: StoreError.self) { try MemoryFolder(in: "/nowhere/at/all") }
    }
}
