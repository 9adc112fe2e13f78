import Testing
import TributaryStore

@testable import TributarySync

/// The finding for every combination of facts about a store at its start.
@Suite struct IdentityFindingTests {
    private enum Place: CaseIterable {
        case unrecorded, samePath, otherPath, otherFile
    }

    private enum Machine: CaseIterable {
        case same, other, unknown
    }

    private static func file(_ path: String, _ inode: UInt64) -> MarkedFile {
        MarkedFile(path: path, mark: FileMark(inode: inode, born: 7, fileSystem: 1))
    }

    private static func facts(
        _ place: Place,
        _ machine: Machine,
        original: Bool,
        restored: Bool,
        file: String?,
        lacks: Bool,
        exported: Bool
    ) -> IdentityFacts {
        let former = StoreHome(machine: "m", store: Self.file("/a", 1), logs: nil)
        var home = former
        switch place {
        case .unrecorded, .samePath: break
        case .otherPath: home.store.path = "/b"
        case .otherFile: home.store = Self.file("/b", 2)
        }
        switch machine {
        case .same: break
        case .other: home.machine = "n"
        case .unknown: home.machine = nil
        }
        var facts = IdentityFacts(recorded: place == .unrecorded ? nil : former, current: home)
        facts.isOriginalThere = original
        facts.isRestored = restored
        facts.unknownFile = file
        facts.lacksExports = lacks
        facts.hasExported = exported
        return facts
    }

    /// The finding without a restoration, on the same machine, with a folder that has what was exported.
    private static func expected(
        _ place: Place,
        original: Bool,
        file: String?,
        exported: Bool
    ) -> IdentityFinding {
        switch (place, original, file) {
        case (.unrecorded, _, nil): .firstStart
        case (.unrecorded, _, let file?): .older(file: file)
        case (.samePath, _, nil): .same
        case (.samePath, _, let file?): .older(file: file)
        case (.otherPath, _, nil): .moved(from: "/a")
        case (.otherPath, _, let file?): .older(file: file)
        case (.otherFile, true, _): .copied(from: "/a")
        case (.otherFile, false, nil): exported ? .moved(from: "/a") : .copiedUnexported(from: "/a")
        case (.otherFile, false, let file?): .older(file: file)
        }
    }

    @Test func everyCombinationHasItsFinding() {
        var cells = 0
        for place in Place.allCases {
            for machine in Machine.allCases {
                for bits in 0..<32 {
                    let (original, restored, lacks) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
                    let file = bits & 8 != 0 ? "w/2.tlog" : nil
                    let exported = bits & 16 != 0 || lacks
                    let facts = Self.facts(
                        place,
                        machine,
                        original: original,
                        restored: restored,
                        file: file,
                        lacks: lacks,
                        exported: exported
                    )
                    var expected = Self.expected(place, original: original, file: file, exported: exported)
                    if machine == .other, place != .unrecorded { expected = .otherMachine }
                    if restored { expected = .restored }
                    if lacks, !expected.needsNewWriter { expected = .lostFolder }
                    #expect(IdentityFinding(facts) == expected, "\(facts)")
                    cells += 1
                }
            }
        }
        #expect(cells == 384)
    }

    @Test func copiesAloneNeedANewWriter() {
        let kept: [IdentityFinding] = [.firstStart, .same, .moved(from: "/a"), .lostFolder]
        let changed: [IdentityFinding] = [
            .restored, .copied(from: "/a"), .copiedUnexported(from: "/a"), .otherMachine, .older(file: "f"),
        ]
        #expect(kept.allSatisfy { !$0.needsNewWriter } && changed.allSatisfy(\.needsNewWriter))
        #expect(Set(changed.compactMap(\.cause)).count == 5)
    }

    /// Without birth times the number of the file system decides; with them it may change from boot to boot.
    @Test func marksTellFilesFromTheirCopies() {
        let mark = FileMark(inode: 1, born: 7, fileSystem: 1)
        #expect(mark.isSame(as: FileMark(inode: 1, born: 7, fileSystem: 2)))
        #expect(!mark.isSame(as: FileMark(inode: 1, born: 8, fileSystem: 1)))
        #expect(!mark.isSame(as: FileMark(inode: 2, born: 7, fileSystem: 1)))
        let unborn = FileMark(inode: 1, born: 0, fileSystem: 1)
        #expect(unborn.isSame(as: mark) && !unborn.isSame(as: FileMark(inode: 1, born: 0, fileSystem: 2)))
        let file = MarkedFile(path: "/a b/store.sqlite", mark: mark)
        #expect(MarkedFile(file.text) == file && MarkedFile("1 2 3") == nil && MarkedFile("x 2 3 /a") == nil)
    }

    @Test func theIDOfAMachineIsHashed() throws {
        let id = "0123456789abcdef0123456789abcdef"
        let hash = try #require(MachineID.hash(of: id + "\n"))
        #expect(hash.count == 64 && !hash.contains(id) && MachineID.hash(of: id) == hash)
        #expect(MachineID.hash(of: "uninitialized") == nil && MachineID.hash(of: "") == nil)
    }
}
