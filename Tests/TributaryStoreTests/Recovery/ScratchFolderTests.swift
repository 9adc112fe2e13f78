import Foundation
import TestSupport
import Testing
import TributaryStore

/// The folders of single pieces of work beside a store.
@Suite struct ScratchFolderTests {
    private let folder: TemporaryFolder
    private var store: String { folder.path("store.sqlite") }

    init() throws { folder = try TemporaryFolder("scratch") }

    @Test func theEndOfTheWorkRemovesTheFolderWhoeverHoldsIt() throws {
        let scratch = try ScratchFolder(.check, besideStore: store)
        try FileManager.default.createDirectory(atPath: scratch.file("values"), withIntermediateDirectories: false)
        scratch.remove()
        #expect(!FileManager.default.fileExists(atPath: scratch.path))
        withExtendedLifetime(scratch) {}
    }

    /// A block of the first work that is released late leaves the files of the second one.
    @Test func anOldReferenceLeavesTheFolderOfTheNextWork() throws {
        var first: ScratchFolder? = try ScratchFolder(.check, besideStore: store)
        first?.remove()
        let second = try ScratchFolder(.check, besideStore: store)
        first?.remove()
        first = nil
        #expect(FileManager.default.fileExists(atPath: second.path))
        withExtendedLifetime(second) {}
    }
}
