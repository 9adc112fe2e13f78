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
        "0000000000000029-00000000000000ff", "0000000000000029-00000000000000FF.tlog", "29-ff.tlog", "",
        "0000000000000029_00000000000000ff.tlog", "0000000000000029-00000000000000ff.tlogx",
        "0000000000000029-00000000000000ff.TLOG", "0000000000000029-00000000000000fg.tlog",
        ".0000000000000029-00000000000000ff.tlog", "0000000000000029-00000000000000ff.tlog.tmp",
    ])
    func otherNamesAreNone(_ name: String) {
        #expect(SegmentName(writer: writer, fileName: name) == nil)
        #expect(SegmentFileKind.classify(name, writer: writer) == .ignored)
    }

    @Test(arguments: ["5F0C0000-0000-7000-8000-000000000001", "5f0c0000", ".staging", ".stversions", "lost+found"])
    func onlyALowerCaseUUIDIsAWritersFolder(_ name: String) {
        #expect(SegmentName.writer(folderName: name) == nil)
    }

    @Test func filesAreToldApart() {
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
}
