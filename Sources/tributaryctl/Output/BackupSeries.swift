import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// The backups of one store in a folder, which `tributaryctl backup --keep` names itself.
///
/// They are `tributary-TIME.sqlite`, with an instance `tributary-NAME-TIME.sqlite`, and with another socket than a service's
/// `tributary-HASH-TIME.sqlite`: HASH is the beginning of the SHA-256 of its path. TIME is UTC with milliseconds, so that
/// names are in the order of times.
struct BackupSeries {
    private static let suffix = ".sqlite"
    private static let stampLength = "20260301T140509.123Z".utf8.count

    let folder: String
    private let prefix: String

    /// The series of the store at a socket; nil for the default socket.
    init(folder: String, socket: String?) throws {
        var status = stat()
        guard stat(folder, &status) == 0 else { throw FileFailure(folder, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure(
                reason:
                    "'\(folder)' is no folder; with --keep the argument is one, and the file gets a name of its own",
                status: .usage
            )
        }
        self.folder = folder
        prefix = "tributary-" + (socket.map(BackupSeries.part) ?? "")
    }

    private static func part(of socket: String) -> String {
        let path = URL(fileURLWithPath: socket).standardizedFileURL.path
        switch DefaultPaths.instance(of: path) {
        case DefaultPaths.service: return ""
        case let instance?: return "\(instance)-"
        case nil: return "\(SHA256.hash(data: path.utf8).hexadecimal.prefix(8))-"
        }
    }

    func path(at time: Date) -> String {
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .omitted,
            timeSeparator: .omitted,
            includingFractionalSeconds: true
        )
        let stamp = time.formatted(style)
        return (folder as NSString).appendingPathComponent(prefix + stamp + BackupSeries.suffix)
    }

    /// Whether a file of this name is one of the series; no other store has such a name.
    func contains(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(BackupSeries.suffix) else { return false }
        let stamp = Array(name.utf8.dropFirst(prefix.utf8.count).dropLast(BackupSeries.suffix.utf8.count))
        guard stamp.count == BackupSeries.stampLength else { return false }
        return stamp.enumerated().allSatisfy { index, byte in
            switch index {
            case 8: byte == UInt8(ascii: "T")
            case 15: byte == UInt8(ascii: ".")
            case 19: byte == UInt8(ascii: "Z")
            default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        }
    }

    /// Removes the oldest files of the series, so that `count` stay, among them `newest`, and returns their paths.
    ///
    /// What has such a name and is no store in a regular file is left alone, and counts for nothing.
    func removeOldest(keeping count: Int, sparing newest: String) throws -> [String] {
        let spared = (newest as NSString).lastPathComponent
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw CommandFailure(reason: "'\(folder)': \(ErrorText.text(of: error))", status: .inputOutput)
        }
        // A file with a time in the future was made while the clock was ahead, before all files with the right time.
        let older = names.filter { $0 != spared && contains($0) && isStore($0) }
            .sorted { ($0 > spared ? 0 : 1, $0) < ($1 > spared ? 0 : 1, $1) }
        return try remove(older.prefix(max(0, older.count - (count - 1))).map(path))
    }

    /// Removes what is left of backups of the series that were cut short, and returns their paths.
    ///
    /// Such a file has not been written for a day, and nobody writes it. Most file systems keep none at all.
    func removeIncomplete(at time: Date) throws -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let left = names.sorted().filter { name in
            guard let part = name.range(of: ".part-", options: .backwards), contains(String(name[..<part.lowerBound])),
                name[part.upperBound...].allSatisfy({ ("0"..."9").contains($0) })
            else { return false }
            return isFile(name) { descriptor, status in
                let age = time.timeIntervalSince1970 - Double(status.st_mtim.tv_sec)
                return age > 86_400 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
            }
        }
        return try remove(left.map(path))
    }

    private func path(_ name: String) -> String { (folder as NSString).appendingPathComponent(name) }

    private func remove(_ paths: [String]) throws -> [String] {
        for path in paths where unlink(path) != 0 && errno != ENOENT { throw FileFailure(path, errno) }
        if let first = paths.first { try OpenFolder(first.folder).sync() }
        return paths
    }

    private func isStore(_ name: String) -> Bool {
        isFile(name) { descriptor, _ in
            // SQLite keeps the application ID at this place of the header.
            var mark = [UInt8](repeating: 0, count: 4)
            guard pread(descriptor, &mark, 4, 68) == 4 else { return false }
            return mark.reduce(0) { $0 << 8 | Int32($1) } == StoreFormat.applicationID
        }
    }

    /// Whether the name is one of a regular file for which `isWanted` returns true.
    private func isFile(_ name: String, _ isWanted: (_ descriptor: Int32, stat) -> Bool) -> Bool {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return isWanted(descriptor, status)
    }
}
