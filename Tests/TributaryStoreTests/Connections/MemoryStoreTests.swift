import Foundation
import TestSupport
import Testing
import TributaryModel

@testable import TributaryStore

/// A store in memory: a private folder that needs no cleaning up.
struct MemoryStoreTests {
    private func model() throws -> Model {
        try Model(yaml: "version: \"1\"\nentities: {Note: {attributes: {text: String?}}}")
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func theFolderGoesWhenTheStoreCloses() throws {
        let configuration = try StoreConfiguration.memory(name: "memory", model: model())
        let folder = try #require(configuration.memory).path
        let store = try Store.open(configuration)
        #expect(exists(folder + "/store.sqlite"))
        #expect(try store.read { try $0.history.newestTransaction() } == 0)
        try store.close()
        #expect(!exists(folder))
    }

    @Test func theFolderGoesWithItsLastOwner() throws {
        var configuration: StoreConfiguration? = try StoreConfiguration.memory(name: "memory", model: model())
        let folder = try #require(configuration?.memory).path
        configuration = nil
        #expect(!exists(folder))
    }

    @Test func aFolderIsPrivate() throws {
        let parent = try TemporaryFolder("memory")
        let folder = try MemoryFolder(in: parent.path)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func filesOfAKilledProcessAreSweptAndFilesInUseStay() throws {
        let parent = try TemporaryFolder("memory")
        let used = try MemoryFolder(in: parent.path)
        // The lock of a killed process is released, but its folder remains.
        let left = parent.path("tributary-memory-\(getuid())-left")
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: URL(fileURLWithPath: left + "/store.sqlite"))
        let foreign = parent.path("something-else")
        try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: false)
        let next = try MemoryFolder(in: parent.path)
        #expect(!exists(left))
        #expect(exists(foreign))
        #expect(exists(used.path))
        #expect(exists(next.path))
        next.remove()
        #expect(exists(used.path))
        #expect(!exists(next.path))
    }

    @Test func aParentThatIsNotThereIsAnErrorWithItsPath() {
        #expect(throws: StoreError.self) { try MemoryFolder(in: "/nowhere/at/all") }
    }
}
