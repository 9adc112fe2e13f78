import Foundation
import TransactionLog
import TributaryChanges

/// The log folder of one replica, with the copies that a simulated replicator leaves in it.
struct ReplicatedFolder {
    private(set) var path: String
    /// How the folder was lost; nil when it is there.
    private(set) var loss: FolderLoss?
    /// The store's writers when the folder was lost; no replicator brings their files before the folder is back.
    private(set) var lostWriters: Set<UniqueID> = []
    /// The segments that the replicator has brought, each with whether the copy is whole.
    private var brought: [SegmentName: Bool] = [:]
    /// The names of segments that something else has.
    private(set) var foreign: Set<SegmentName> = []

    init(path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    mutating func setPath(_ path: String) { self.path = path }

    mutating func setLoss(_ loss: FolderLoss?, of writers: [UniqueID] = []) {
        self.loss = loss
        lostWriters = Set(writers)
    }

    /// Forgets the files of a writer, which are gone.
    mutating func forget(_ writer: UniqueID) {
        brought = brought.filter { $0.key.writer != writer }
        foreign = foreign.filter { $0.writer != writer }
    }

    // MARK: Files

    /// The writers with a folder, and the names of the files in it.
    private func files() -> [(writer: UniqueID, files: [String])] {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
        return folders.compactMap { folder in
            guard let writer = SegmentName.writer(folderName: folder) else { return nil }
            return (writer, (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)"))?.sorted() ?? [])
        }
    }

    func names() -> [SegmentName] {
        let all = files().flatMap { writer, files in files.compactMap { SegmentName(writer: writer, fileName: $0) } }
        return all.filter { !foreign.contains($0) }.sorted()
    }

    /// The segments that the replica itself has written.
    func ownSegments() throws -> [PublishedSegment] {
        try names().filter { brought[$0] == nil }.map { PublishedSegment(name: $0, bytes: try bytes($0.path)) }
    }

    func baselines() throws -> [BaselineName: [UInt8]] {
        var found: [BaselineName: [UInt8]] = [:]
        for (writer, files) in files() {
            for file in files {
                guard case .baseline(let sequence) = SegmentFileKind.classify(file, writer: writer) else { continue }
                found[BaselineName(writer: writer, sequence: sequence)] = try bytes("\(writer)/\(file)")
            }
        }
        return found
    }

    /// What stores have found in baselines.
    func comparisons(_ keys: EncryptionKeys = EncryptionKeys()) throws -> [BaselineComparison.Name: PublishedComparison]
    {
        let logs = try LogFolder(path: path, keys: keys)
        var found: [BaselineComparison.Name: PublishedComparison] = [:]
        for (writer, files) in files() {
            for file in files {
                guard case .comparison(let baseline) = SegmentFileKind.classify(file, writer: writer) else { continue }
                let name = BaselineComparison.Name(writer: writer, of: baseline)
                // Of one whose key is lost nothing is known.
                guard let read = try? BaselineComparison.read(name, in: logs) else { continue }
                found[name] = PublishedComparison(found: read, bytes: try bytes(name.path))
            }
        }
        return found
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    /// Whether there is a whole copy of a segment, or the replica's own file.
    func has(_ name: SegmentName) -> Bool {
        guard loss != .unmounted, !foreign.contains(name) else { return false }
        return brought[name] ?? (access("\(path)/\(name.path)", F_OK) == 0)
    }

    func isDamaged(_ name: SegmentName) -> Bool { brought[name] == false }

    /// Gives a file the time of the replica's clock.
    func setTime(_ time: WallTime, of name: String) throws {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(path)/\(name)")
    }

    func time(of name: String) -> WallTime {
        let date = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.modificationDate] as? Date
        return date.map { WallTime($0) } ?? .epoch
    }

    // MARK: The replicator

    /// Leaves a copy of a segment.
    ///
    /// Another whole file of the name becomes a conflict copy when `replaces`; otherwise the new one does.
    mutating func leave(_ segment: PublishedSegment, _ fault: FileFault, at time: WallTime, replaces: Bool) throws {
        // Nothing comes into a folder that is not there.
        guard loss != .unmounted, !foreign.contains(segment.name) else { return }
        let (name, bytes) = (segment.name, segment.bytes)
        if case .conflictCopy(let percent) = fault {
            return try place(Array(bytes.prefix(bytes.count * percent / 100)), conflictName(segment), time)
        }
        let isWhole = has(name)
        if isWhole, fault == .none || fault == .completed, let known = try? self.bytes(name.path), known != bytes {
            guard replaces else { return try place(bytes, conflictName(segment), time) }
            try place(known, conflictName(PublishedSegment(name: name, bytes: known)), time)
        }
        brought[name] = fault == .none || fault == .completed
        switch fault {
        case .none: try place(bytes, name.path, time)
        case .partial(let percent): try place(Array(bytes.prefix(bytes.count * percent / 100)), name.path, time)
        case .appended: try place(bytes + Array("{}\n".utf8), name.path, time)
        case .damaged(let percent):
            var bytes = bytes
            bytes[min(bytes.count - 1, bytes.count * percent / 100)] ^= 1
            try place(bytes, name.path, time)
        case .conflictCopy: break
        case .removed: lose(name)
        case .completed: if !isWhole { try complete(bytes, name.path, time) }
        }
    }

    private func conflictName(_ segment: PublishedSegment) -> String {
        let device = SHA256.hash(data: segment.bytes).hexadecimal.prefix(7).uppercased()
        return
            "\(segment.name.writer)/\(segment.name.fileName.dropLast(5)).sync-conflict-20231114-221320-\(device).tlog"
    }

    /// Leaves a copy of a baseline, or removes it.
    func leave(_ baseline: PublishedBaseline) throws {
        guard loss != .unmounted else { return }
        if baseline.isRemoved {
            unlink("\(path)/\(baseline.name.path)")
        } else if (try? bytes(baseline.name.path)) != baseline.bytes {
            try place(baseline.bytes, baseline.name.path, nil)
        }
    }

    /// Leaves a copy of what a store has found in a baseline, or removes it.
    func leave(_ comparison: PublishedComparison) throws {
        let path = comparison.found.name.path
        if comparison.isRemoved {
            unlink("\(self.path)/\(path)")
        } else if loss != .unmounted {
            try place(comparison.bytes, path, nil)
        }
    }

    /// Loses a baseline, or what a store has found in one.
    func leave(lost path: String) {
        guard loss != .unmounted else { return }
        unlink("\(self.path)/\(path)")
    }

    /// Replaces all files by copies of those in another folder.
    mutating func becomeCopy(of other: ReplicatedFolder, at time: WallTime) throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
        (brought, foreign) = (other.brought, other.foreign)
        for name in names() {
            try setTime(time, of: name.path)
            brought[name] = brought[name] ?? true
        }
    }

    /// Gives the name of a segment to something else; false when a file has it.
    mutating func squat(_ name: SegmentName, _ kind: ForeignFile) throws -> Bool {
        let file = "\(path)/\(name.path)"
        guard loss == nil, access(file, F_OK) != 0 else { return false }
        let manager = FileManager.default
        let folder = "\(path)/\(name.writer)"
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        switch kind {
        case .empty: try Data().write(to: URL(fileURLWithPath: file))
        case .garbage: try Data("no segment\n".utf8).write(to: URL(fileURLWithPath: file))
        case .folder: try manager.createDirectory(atPath: file, withIntermediateDirectories: false)
        case .link: try manager.createSymbolicLink(atPath: file, withDestinationPath: "/dev/null")
        }
        foreign.insert(name)
        return true
    }

    /// Removes what has the name of a segment and is none; false when it is a whole segment.
    mutating func removeForeign(_ name: SegmentName) throws -> Bool {
        if foreign.remove(name) != nil {
            try FileManager.default.removeItem(atPath: "\(path)/\(name.path)")
            return true
        }
        guard !has(name) else { return false }
        lose(name)
        return true
    }

    /// Removes a file, as when the end of the machine comes before its name is on the disk.
    mutating func lose(_ name: SegmentName) {
        // What is on a share that is not mounted stays there.
        guard loss != .unmounted, !foreign.contains(name) else { return }
        brought[name] = nil
        unlink("\(path)/\(name.path)")
    }

    /// Writes a new file and gives it its name, in the place of a former one.
    private func place(_ bytes: [UInt8], _ name: String, _ time: WallTime?) throws {
        let temporary = path + ".copy"
        try Data(bytes).write(to: URL(fileURLWithPath: temporary))
        let target = "\(path)/\(name)"
        if rename(temporary, target) != 0 {
            let folder = (target as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            guard rename(temporary, target) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
        if let time { try setTime(time, of: name) }
    }

    /// Appends the missing bytes to a beginning of the file, which stays the same file; places another one anew.
    private func complete(_ bytes: [UInt8], _ name: String, _ time: WallTime) throws {
        let target = "\(path)/\(name)"
        guard let known = try? Data(contentsOf: URL(fileURLWithPath: target)), known.count < bytes.count,
            bytes.starts(with: known), let file = FileHandle(forWritingAtPath: target)
        else { return try place(bytes, name, time) }
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(bytes[known.count...]))
        try setTime(time, of: name)
    }
}
