import Foundation
import TransactionLog
import TributaryChanges

/// The log folder of one replica, with the copies that a simulated replicator leaves in it.
struct ReplicatedFolder {
    let path: String
    /// The segments whose copies are whole.
    private(set) var whole: Set<SegmentName> = []

    init(path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Leaves a copy of a segment.
    mutating func leave(_ segment: PublishedSegment, _ fault: FileFault) throws {
        let (name, bytes) = (segment.name, segment.bytes)
        if case .conflictCopy(let percent) = fault {
            let copy = name.fileName.dropLast(5) + ".sync-conflict-20231114-221320-ABCDEFG.tlog"
            return try place(Array(bytes.prefix(bytes.count * percent / 100)), "\(name.writer)/\(copy)")
        }
        let wasWhole = whole.remove(name) != nil
        switch fault {
        case .none: try place(bytes, name.path)
        case .partial(let percent): try place(Array(bytes.prefix(bytes.count * percent / 100)), name.path)
        case .appended: try place(bytes + Array("{}\n".utf8), name.path)
        case .damaged(let percent):
            var bytes = bytes
            bytes[min(bytes.count - 1, bytes.count * percent / 100)] ^= 1
            try place(bytes, name.path)
        case .conflictCopy: break
        case .removed: unlink("\(path)/\(name.path)")
        case .completed:
            guard !wasWhole else { break }
            try complete(bytes, name.path)
        }
        if fault == .none || fault == .completed { whole.insert(name) }
    }

    /// The whole segments of a writer, by name.
    func segments(of writer: UniqueID) throws -> [PublishedSegment] {
        let folder = "\(path)/\(writer)"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try files.compactMap { SegmentName(writer: writer, fileName: $0) }.sorted().map { name in
            PublishedSegment(
                name: name,
                bytes: Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name.path)")))
            )
        }
    }

    /// Removes a file, as when the end of the machine comes before its name is on the disk.
    func lose(_ name: SegmentName) { unlink("\(path)/\(name.path)") }

    /// Writes a new file and gives it its name, in the place of a former one.
    private func place(_ bytes: [UInt8], _ name: String) throws {
        let temporary = path + ".copy"
        try Data(bytes).write(to: URL(fileURLWithPath: temporary))
        let target = "\(path)/\(name)"
        if rename(temporary, target) != 0 {
            let folder = (target as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            guard rename(temporary, target) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
    }

    /// Appends the missing bytes to a beginning of the file, which stays the same file; places another one anew.
    private func complete(_ bytes: [UInt8], _ name: String) throws {
        let target = "\(path)/\(name)"
        guard let known = try? Data(contentsOf: URL(fileURLWithPath: target)), known.count < bytes.count,
            bytes.starts(with: known), let file = FileHandle(forWritingAtPath: target)
        else { return try place(bytes, name) }
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(bytes[known.count...]))
    }
}
