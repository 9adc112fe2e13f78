import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

/// The scanner tells a replicator that carries the staging folder from programs of this machine that stage there.
@Suite struct ReplicatedStagingTests {
    private let folder: TemporaryFolder
    private let writer = UniqueID(high: 0xA, low: 1)

    init() throws { folder = try TemporaryFolder("staging") }

    private func reasons() -> [String] {
        var scanner = FolderScanner(path: folder.path)
        return scanner.scanAll(at: WallTime(Date())).problems.filter { $0.code == .stagingReplicated }.map(\.reason)
    }

    @Test func whatProgramsOfThisMachineStageIsNoReplicators() throws {
        try folder.write("x", to: ".staging/\(writer)/0000000000000001-0000000000000001.tlog")
        try folder.write("x", to: ".staging/producer")
        #expect(reasons() == [])
    }

    @Test func syncthingWithoutThePatternCarriesIt() throws {
        try FileManager.default.createDirectory(atPath: folder.path(".stfolder"), withIntermediateDirectories: true)
        #expect(reasons().count == 1)
        try folder.write("// what is not carried\n/notes\n", to: ".stignore")
        #expect(reasons().count == 1)
        try folder.write("/.staging\n/notes\n", to: ".stignore")
        #expect(reasons() == [])
    }

    @Test(arguments: [
        ".syncthing.0000000000000001-0000000000000001.tlog.tmp", "0000000000000001-0000000000000001.tlog.!sync",
        "0000000000000001-0000000000000001 (conflicted copy 2026-01-02).tlog",
    ])
    func filesOfAReplicatorShowThatItIsCarried(_ name: String) throws {
        try folder.write("x", to: ".staging/\(writer)/\(name)")
        #expect(reasons().contains { $0.contains("\(writer)/\(name)") })
    }

    @Test func anIgnoreFileWithoutEndIsNotRead() throws {
        try FileManager.default.createDirectory(atPath: folder.path(".stfolder"), withIntermediateDirectories: true)
        #expect(symlink("/dev/zero", folder.path(".stignore")) == 0)
        #expect(reasons() == [])
    }
}
