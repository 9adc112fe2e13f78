import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// The backups of a store in a folder, which `tributaryctl backup --keep` names.
///
/// They are `tributary-NUMBER-TIME-STORE.sqlite`, and with an instance `tributary-NAME-NUMBER-TIME-STORE.sqlite`. STORE
/// is the end of the store's label, so that several machines can share the folder. NUMBER grows. TIME is for people
/// alone, because the clock may be wrong.
struct BackupSeries {
    private static let suffix = ".sqlite"
    private static let digits = 10
    private static let greatestNumber: UInt64 = 9_999_999_999
    private static let stampLength = "20260301T140509.123Z".utf8.count
    private static let labelLength = 12

    private struct Name: Comparable {
        var number: UInt64
        var time: String
        var store: String
        var text: String

        static func < (left: Name, right: Name) -> Bool { (left.number, left.time) < (right.number, right.time) }
    }

    private let folder: OpenFolder
    private let prefix: String

    init(folder path: String, socket: String?) throws {
        do throws(FileFailure) {
            folder = try OpenFolder(path)
        } catch {
            guard error.code == ENOTDIR else { throw error }
            throw CommandFailure(
                reason: "'\(path)' is not a folder. With --keep, name a folder; the file gets a name of its own",
                status: .usage
            )
        }
        prefix = "tributary-" + (socket.map(BackupSeries.part) ?? "")
    }

    private static func part(of socket: String) -> String {
        let path = URL(fileURLWithPath: socket).standardizedFileURL.path
        guard let instance = DefaultPaths.instance(of: path), instance != DefaultPaths.service else { return "" }
        return "\(instance)-"
    }

    func begin(at time: Date) throws -> (file: NewFile, begun: String) {
        let newest = try names().compactMap { $0.hasSuffix(Self.suffix) ? parse($0)?.number : nil }.max() ?? 0
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .omitted,
            timeSeparator: .omitted,
            includingFractionalSeconds: true
        )
        // A name with more digits would belong to no series.
        let number = String(min(newest.addingSaturating(1), BackupSeries.greatestNumber))
        let zeros = String(repeating: "0", count: max(0, BackupSeries.digits - number.utf8.count))
        let begun = "\(prefix)\(zeros)\(number)-\(time.formatted(style))"
        return (try NewFile(begun, in: folder, mode: 0o600, isHidden: false), begun)
    }

    func name(of begun: String, store: String) -> String {
        "\(begun)-\(store.suffix(BackupSeries.labelLength))\(BackupSeries.suffix)"
    }

    func path(of name: String) -> String { folder.path(of: name) }

    private func parse(_ text: String) -> Name? {
        guard text.hasPrefix(prefix), text.hasSuffix(BackupSeries.suffix) else { return nil }
        let parts = text.dropFirst(prefix.count).dropLast(BackupSeries.suffix.count)
            .split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let number = BackupSeries.number(parts[0]), BackupSeries.isStamp(parts[1]),
            parts[2].utf8.count == BackupSeries.labelLength, parts[2].utf8.allSatisfy({ hexadecimalDigit($0) != nil })
        else { return nil }
        return Name(number: number, time: parts[1], store: parts[2], text: text)
    }

    private static func number(_ text: String) -> UInt64? {
        text.utf8.count == digits && text.utf8.allSatisfy(isDigit) ? UInt64(text) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isStamp(_ text: String) -> Bool {
        let stamp = Array(text.utf8)
        guard stamp.count == stampLength else { return false }
        return stamp.enumerated().allSatisfy { index, byte in
            switch index {
            case 8: byte == UInt8(ascii: "T")
            case 15: byte == UInt8(ascii: ".")
            case 19: byte == UInt8(ascii: "Z")
            default: isDigit(byte)
            }
        }
    }

    private func names() throws -> [String] {
        guard let entries = DirectoryEntries(of: folder.descriptor) else { throw FileFailure(folder.path, errno) }
        var names: [String] = []
        guard entries.forEach({ name, _, _ in names.append(String(decoding: name, as: UTF8.self)) }) else {
            throw FileFailure(folder.path, errno)
        }
        return names.sorted()
    }

    /// Removes only backups of the same store as the newest backup; files that are not stores are ignored.
    func removeOldest(keeping count: Int, sparing newest: String) throws -> [String] {
        guard let spared = parse(newest) else { return [] }
        let older = try names().compactMap(parse)
            .filter { $0.store == spared.store && $0.text != spared.text && isStore($0.text) }.sorted()
        return try remove(older.prefix(max(0, older.count - (count - 1))).map(\.text))
    }

    /// Names of an earlier version, `tributary-TIME.sqlite`, name no store, so these backups are never removed.
    func unnumbered() throws -> [String] {
        try names().filter { name in
            name.hasPrefix(prefix) && name.hasSuffix(BackupSeries.suffix)
                && BackupSeries.isStamp(String(name.dropFirst(prefix.count).dropLast(BackupSeries.suffix.count)))
                && isStore(name)
        }.map(folder.path(of:))
    }

    /// Removes the rest of interrupted backups: nobody has written such a file for a day.
    func removeIncomplete(at time: Date) throws -> [String] {
        let left = try names().filter { name in
            guard name.hasPrefix(prefix), let part = name.range(of: ".part-", options: .backwards),
                name[part.upperBound...].utf8.allSatisfy(BackupSeries.isDigit)
            else { return false }
            let begun = name[..<part.lowerBound].dropFirst(prefix.count)
                .split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard begun.count == 2, BackupSeries.number(begun[0]) != nil, BackupSeries.isStamp(begun[1]) else {
                return false
            }
            return isFile(name) { descriptor, status in
                let age = time.timeIntervalSince1970 - Double(status.st_mtim.tv_sec)
                return age > 86_400 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
            }
        }
        return try remove(left)
    }

    private func remove(_ names: [String]) throws -> [String] {
        for name in names { try folder.remove(name) }
        if !names.isEmpty { try folder.sync() }
        return names.map(folder.path(of:))
    }

    private func isStore(_ name: String) -> Bool {
        isFile(name) { descriptor, _ in
            // SQLite keeps the application ID at this place of the header.
            var mark = [UInt8](repeating: 0, count: 4)
            guard pread(descriptor, &mark, 4, 68) == 4 else { return false }
            return mark.reduce(0) { $0 << 8 | Int32($1) } == StoreFormat.applicationID
        }
    }

    private func isFile(_ name: String, _ isWanted: (_ descriptor: Int32, stat) -> Bool) -> Bool {
        let descriptor = folder.open(name, O_RDONLY | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return isWanted(descriptor, status)
    }
}
