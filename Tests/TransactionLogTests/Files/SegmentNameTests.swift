import Testing
import TransactionLog
import TributaryChanges

@Suite struct SegmentNameTests {
    let writer = UniqueID(high: 0x5f0c_0000_0000_7000, low: 0x8000_0000_0000_0001)

    @Test func aNameIsReadBackFromItsPath() throws {
        let name = SegmentName(writer: writer, first: 41, last: 255)
        #expect(name.path == "5f0c0000-0000-7000-8000-000000000001/0000000000000029-00000000000000ff.tlog")
        #expect(SegmentName(path: "/var/lib/tributary/logs/" + name.path) == name)
        #expect(SegmentName(writer: writer, fileName: name.fileName) == name)
    }

    @Test(arguments: [
        "", "29-ff", "notes.txt", "tlog", ".0000000000000029-00000000000000ff.tlog",
        "0000000000000029-00000000000000ff.tlog.tmp",
    ])
    func otherNamesAreNone(_ name: String) {
        #expect(SegmentName(writer: writer, fileName: name) == nil)
        #expect(SegmentFileKind.classify(name, writer: writer) == .ignored)
    }

    @Test(
        arguments: [
            ("0000000000000029-00000000000000ff", 41), ("0000000000000029-00000000000000FF.tlog", 41),
            ("29-ff.tlog", 41), ("1-1.tlog", 1), ("0000000000000029-00000000000000ff.TLOG", 41),
            ("0000000000000029-00000000000000ff.tlogx", 41), ("0000000000000029-00000000000000ff.tlog.gz", 41),
            ("0000000000000029_00000000000000ff.tlog", nil), ("0000000000000029-00000000000000fg.tlog", nil),
            ("00000000000000029-00000000000000ff.tlog", nil), ("my.tlog", nil),
        ] as [(String, UInt64?)]
    )
    func nearMissesAreNamedWithWhatIsWrong(_ name: String, _ first: UInt64?) {
        #expect(SegmentName(writer: writer, fileName: name) == nil)
        guard case .misnamed(let meant, let reason) = SegmentFileKind.classify(name, writer: writer) else {
            Issue.record("\(name) is not seen as nearly a segment's name")
            return
        }
        #expect(meant?.first == first)
        #expect(reason.contains("16 lower-case hexadecimal digits"))
        if let meant { #expect(reason.contains(meant.fileName)) }
    }

    @Test func nearMissesOfAWritersFolderAreNamed() {
        let id = writer.description
        for name in [id.uppercased(), "{\(id)}", id.filter { $0 != "-" }] {
            #expect(SegmentFileKind.misnamed(inLogFolder: name)?.contains("lower-case") == true)
        }
        #expect(SegmentFileKind.misnamed(inLogFolder: "1-1.tlog")?.contains("folder") == true)
        for name in [id, ".staging", ".stversions", "lost+found", "notes.txt", ".stfolder", "x.tlog.tmp", ""] {
            #expect(SegmentFileKind.misnamed(inLogFolder: name) == nil)
        }
    }

    @Test(arguments: ["5F0C0000-0000-7000-8000-000000000001", "5f0c0000", ".staging", ".stversions", "lost+found"])
    func onlyALowerCaseUUIDIsAWritersFolder(_ name: String) {
        #expect(SegmentName.writer(folderName: name) == nil)
    }

    @Test func filesAreDistinguished() {
        let name = SegmentName(writer: writer, first: 1, last: 2)
        #expect(SegmentFileKind.classify(name.fileName, writer: writer) == .segment(name))
        #expect(SegmentFileKind.classify("0000000000000010.baseline", writer: writer) == .baseline(sequence: 16))
        let copy = "\(name.range).sync-conflict-20260101-120000-ABCDEFG.tlog"
        #expect(SegmentFileKind.classify(copy, writer: writer) == .conflictCopy(of: name))
        for ignored in [
            ".syncthing.\(name.fileName).tmp", ".\(name.fileName).Ab3dEf", ".nfs000000001", "x.sync-conflict-1.tlog",
            "\(name.fileName).tmp", ".stfolder", "README", "0000000000000010.baseline.tmp",
        ] {
            #expect(SegmentFileKind.classify(ignored, writer: writer) == .ignored)
        }
    }

    /// The names that replicators give to the loser of a conflict.
    @Test(arguments: [
        ".sync-conflict-20260101-120000-ABCDEFG.tlog", " (Ann's conflicted copy 2026-01-02).tlog",
        " (conflicted copy 2026-01-02 030405).tlog", " (Anns widersprüchliche Kopie, conflict).tlog",
        " (SFConflict ann@example.org 2026-01-02-03-04-05).tlog", "_conflict-20260102-030405.tlog", ".Conflict.tlog",
        " (copy: conflict 1 on 2026-01-02).tlog", ".tlog.conflict1", ".tlog..path1", "-TILL-7.tlog",
        "-till-safeBackup-0001.tlog",
    ])
    func aConflictCopyIsComparedWhicheverReplicatorMadeIt(_ mark: String) {
        let name = SegmentName(writer: writer, first: 1, last: 2)
        #expect(SegmentFileKind.classify(name.range + mark, writer: writer) == .conflictCopy(of: name))
    }

    /// Nobody is asked to rename what a replicator has named.
    @Test(arguments: [
        ".partial", ".1a2b3c4d.partial", ".part", ".filepart", ".!sync", ".tmp", "~", " (conflicted copy 2026-01-02)",
    ])
    func unfinishedFilesOfReplicatorsAreNoMisnamedSegments(_ ending: String) {
        for name in ["0000000000000001-0000000000000002.tlog", "1-2.tlog", "0000000000000010.baseline"] {
            #expect(SegmentFileKind.classify(name + ending, writer: writer) == .ignored)
            #expect(SegmentFileKind.misnamed(inLogFolder: name + ending) == nil)
        }
    }

    /// The longest names that a file system holds, of the pieces that the rule looks for.
    @Test func hostileNamesAreClassifiedInAMoment() {
        let range = SegmentName(writer: writer, first: 1, last: 2).range
        let pieces = ["conflic", ".tlog", "-", "(", " (conflict", "\u{301}", "..path1", "🧑‍🧑‍🧒", ".tlog.conflict"]
        let clock = ContinuousClock()
        let taken = clock.measure {
            for piece in pieces {
                let long = String(decoding: String(repeating: piece, count: 255).utf8.prefix(222), as: UTF8.self)
                for _ in 0..<2_000 {
                    _ = SegmentFileKind.classify(range + long, writer: writer)
                    _ = SegmentFileKind.misnamed(inLogFolder: long)
                }
            }
        }
        #expect(taken < .seconds(60), "\(taken)")
    }
}
