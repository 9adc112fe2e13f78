import Foundation
import TransactionLog
import TributaryChanges

/// The log folder of one replica, with the copies that a simulated replicator leaves in it.
struct ReplicatedFolder {
    private(set) var path: String
    /// How the folder was lost; nil when it is there.
    private(set) var loss: FolderLoss?
    /// The segments whose copies are whole.
    private(set) var whole: Set<SegmentName> = []
    /// The segments that the replicator has brought, in whatever state.
    private var brought: Set<SegmentName> = []
    /// Whether the replicator has left a conflict copy.
    private(set) var hasCopies = false

    init(path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    mutating func setPath(_ path: String) { self.path = path }

    mutating func setLoss(_ loss: FolderLoss?) { self.loss = loss }

    /// Forgets the files of a writer, which are gone.
    mutating func forget(_ writer: UniqueID) {
        whole = whole.filter { $0.writer != writer }
        brought = brought.filter { $0.writer != writer }
    }

    /// Leaves a copy of a segment.
    mutating func leave(_ segment: PublishedSegment, _ fault: FileFault) throws {
        // Nothing comes into a folder that is not there.
        guard loss != .unmounted else { return }
        let (name, bytes) = (segment.name, segment.bytes)
        if case .conflictCopy(let percent) = fault {
            hasCopies = true
            let copy = name.fileName.dropLast(5) + ".sync-conflict-20231114-221320-ABCDEFG.tlog"
            return try place(Array(bytes.prefix(bytes.count * percent / 100)), "\(name.writer)/\(copy)")
        }
        let wasWhole = whole.remove(name) != nil
        brought.insert(name)
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

    /// The segments of a writer that the replica itself has written, by name.
    func ownSegments(of writer: UniqueID) throws -> [PublishedSegment] {
        try names(of: writer).filter { !brought.contains($0) }.sorted().map { name in
            PublishedSegment(
                name: name,
                bytes: Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name.path)")))
            )
        }
    }

    private func names(of writer: UniqueID) -> [SegmentName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(writer)")) ?? []
        return files.compactMap { SegmentName(writer: writer, fileName: $0) }
    }

    /// The baselines of a writer, which the replica itself has written.
    func baselines(of writer: UniqueID) throws -> [BaselineName: [UInt8]] {
        var found: [BaselineName: [UInt8]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(writer)")) ?? [] {
            guard case .baseline(let sequence) = SegmentFileKind.classify(name, writer: writer) else { continue }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(writer)/\(name)"))
            found[BaselineName(writer: writer, sequence: sequence)] = Array(bytes)
        }
        return found
    }

    /// Leaves a copy of a baseline, or removes it.
    func leave(_ baseline: PublishedBaseline) throws {
        guard loss != .unmounted else { return }
        let target = "\(path)/\(baseline.name.path)"
        if baseline.isRemoved {
            unlink(target)
        } else if (try? Array(Data(contentsOf: URL(fileURLWithPath: target)))) != baseline.bytes {
            try place(baseline.bytes, baseline.name.path)
        }
    }

    /// Gives a file the time of the replica's clock.
    func setTime(_ time: WallTime, of name: SegmentName) throws {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(path)/\(name.path)")
    }

    /// Whether there is a whole copy of a segment, or the replica's own file.
    func has(_ name: SegmentName) -> Bool {
        guard loss != .unmounted else { return false }
        return whole.contains(name) || (!brought.contains(name) && access("\(path)/\(name.path)", F_OK) == 0)
    }

    /// Whether one of the segments is not there as a whole.
    func lacks(published segments: [PublishedSegment]) -> Bool { !segments.allSatisfy { has($0.name) } }

    /// Replaces all files by copies of those in another folder.
    mutating func becomeCopy(of other: ReplicatedFolder) throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
        whole = other.whole
        brought = other.brought
        for folder in try FileManager.default.contentsOfDirectory(atPath: path) {
            guard let writer = SegmentName.writer(folderName: folder) else { continue }
            for name in names(of: writer) where brought.insert(name).inserted { whole.insert(name) }
        }
    }

    /// Removes a file, as when the end of the machine comes before its name is on the disk.
    mutating func lose(_ name: SegmentName) {
        whole.remove(name)
        unlink("\(path)/\(name.path)")
    }

    /// Removes a file of the replica's own, as when the disk is set back to a time before it was written.
    mutating func setBack(_ name: SegmentName) {
        lose(name)
        brought.remove(name)
    }

    /// Leaves a segment of a forked writer, as a conflict copy when another segment has its name.
    ///
    /// - Parameters:
    ///   - segment: the segment.
    ///   - all: all segments of the writer.
    ///   - replaces: whether the other segment becomes the conflict copy, unless the replica itself has written it.
    /// - Throws: what writing throws.
    mutating func leave(_ segment: PublishedSegment, beside all: [PublishedSegment], replaces: Bool) throws {
        let known = try? Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/\(segment.name.path)")))
        guard known != segment.bytes else { return }
        guard let other = all.first(where: { $0.name == segment.name && $0.bytes == known }) else {
            return try leave(segment, .none)
        }
        let isReplaced = replaces && brought.contains(segment.name)
        let copy = isReplaced ? other : segment
        let device = copy.sha256.prefix(7).uppercased()
        let file = "\(copy.name.fileName.dropLast(5)).sync-conflict-20231114-221320-\(device).tlog"
        try place(copy.bytes, "\(copy.name.writer)/\(file)")
        if isReplaced { try leave(segment, .none) }
    }

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
