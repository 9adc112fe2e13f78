import Foundation
import TestSupport
import TestTraits
import TransactionLog
import TributaryChanges

/// A log folder with valid and invalid files of other programs.
struct LogsFolder {
    let folder: TemporaryFolder
    var path: String { folder.path("logs") }

    init() throws {
        folder = try TemporaryFolder("logs")
        PartsOfTest.current?.keep(folder)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    static func writer(_ number: UInt64) -> UniqueID { UniqueID(high: 0x0A00_0000_0000_4000, low: 1 << 63 | number) }

    /// Renames bytes to their final name, replacing an existing file.
    func put(_ bytes: [UInt8], at name: SegmentName) throws {
        try put(bytes, at: name.path)
    }

    func put(_ bytes: [UInt8], at path: String) throws {
        let target = self.path + "/" + path
        let staged = self.path + "/.staging/" + UUID().uuidString
        for place in [staged, target] {
            try FileManager.default.createDirectory(
                atPath: (place as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true
            )
        }
        try Data(bytes).write(to: URL(fileURLWithPath: staged))
        guard rename(staged, target) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    func put(_ segment: SegmentText, signedBy key: SigningKey? = nil) throws {
        try put(segment.bytes(signedBy: key), at: segment.name)
    }

    /// Writes a segment of transactions that insert one employee each.
    ///
    /// The number of an employee is the sum of `base` and the sequence.
    @discardableResult
    func hire(
        _ writer: UniqueID,
        _ range: ClosedRange<UInt64>,
        base: UInt64 = 0,
        seen: [UInt64: [UniqueID: UInt64]] = [:],
        at time: WallTime = SyncWall.start,
        name: String = "Ann"
    ) throws -> SegmentText {
        let segment = LogsFolder.text(writer, range, base: base, seen: seen, at: time, name: name)
        try put(segment)
        return segment
    }

    static func text(
        _ writer: UniqueID,
        _ range: ClosedRange<UInt64>,
        base: UInt64 = 0,
        seen: [UInt64: [UniqueID: UInt64]] = [:],
        at time: WallTime = SyncWall.start,
        name: String = "Ann",
        previous: String? = nil
    ) -> SegmentText {
        SegmentText(
            writer: writer,
            range.map { sequence in
                let insert = SyncModel.insert(base + sequence, name: name)
                return SyncModel.transaction(sequence, seen: seen[sequence] ?? [:], at: time, [insert])
            },
            previous: previous
        )
    }

    func bytes(of name: SegmentName) -> [UInt8]? {
        FileManager.default.contents(atPath: path + "/" + name.path).map { Array($0) }
    }

    func segments(of writer: UniqueID) -> [SegmentName] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(writer)")) ?? []
        return names.compactMap { SegmentName(writer: writer, fileName: $0) }.sorted()
    }
}
