import CSystemd
import Foundation
import Glibc
import Logging
import Synchronization
import TributaryAdmin

/// The journal when standard error is connected to it, otherwise standard error.
enum DaemonLogging {
    static func makeLogger(environment: [String: String], setting: LogLevelSetting) -> Logger {
        let useJournal = isJournal(environment["JOURNAL_STREAM"])
        return Logger(label: "tributaryd") { label in
            if useJournal {
                JournalLogHandler(label: label, setting: setting)
            } else {
                StandardErrorLogHandler(setting: setting)
            }
        }
    }

    /// Whether standard error is still the stream that `JOURNAL_STREAM` names by device and inode.
    private static func isJournal(_ stream: String?) -> Bool {
        guard let inode = stream?.split(separator: ":").last,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2")
        else { return false }
        return target == "socket:[\(inode)]"
    }
}

final class LogLevelSetting: Sendable {
    static let standard = Logger.Level.info

    private let level = Mutex(standard)

    var value: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}

protocol SettingLogHandler: LogHandler {
    var setting: LogLevelSetting { get }
    /// Libraries cannot change the daemon's level.
    var isOfLibraries: Bool { get set }
}

extension SettingLogHandler {
    var logLevel: Logger.Level {
        get { isOfLibraries && setting.value != .trace ? max(setting.value, .info) : setting.value }
        nonmutating set { if !isOfLibraries { setting.value = newValue } }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func metadata(of event: LogEvent) -> Logger.Metadata {
        var all = metadata.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        return all
    }

    func text(of event: LogEvent, _ all: Logger.Metadata) -> String {
        let pairs = all.sorted { $0.key < $1.key }.map { key, value in
            let text = EscapedText.escape("\(value)")
            return EscapedText.escape(key) + "=" + (text.contains(" ") || text.isEmpty ? "\"\(text)\"" : text)
        }
        return EscapedText.escape("\(event.message)") + (pairs.isEmpty ? "" : "  " + pairs.joined(separator: " "))
    }
}

/// Metadata become fields: `segment` becomes `TRIBUTARY_SEGMENT`.
struct JournalLogHandler: SettingLogHandler {
    let label: String
    let setting: LogLevelSetting
    var isOfLibraries = false
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    func log(event: LogEvent) {
        let all = metadata(of: event)
        var fields = [
            "MESSAGE=\(text(of: event, all))",
            "PRIORITY=\(Self.priority(of: event.level))",
            "SYSLOG_IDENTIFIER=tributaryd",
            "TRIBUTARY_LOGGER=\(label)",
            "CODE_FILE=\(event.file)",
            "CODE_LINE=\(event.line)",
            "CODE_FUNC=\(event.function)",
        ]
        for (key, value) in all { fields.append("TRIBUTARY_\(Self.fieldName(key))=\(value)") }
        Self.send(fields)
    }

    private static func send(_ fields: [String]) {
        var bytes = fields.flatMap { $0.utf8 }
        bytes.withUnsafeMutableBytes { buffer in
            var offset = 0
            let vectors = fields.map { field in
                defer { offset += field.utf8.count }
                return iovec(iov_base: buffer.baseAddress?.advanced(by: offset), iov_len: field.utf8.count)
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }

    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func fieldName(_ key: String) -> String {
        var name = ""
        for character in key.unicodeScalars {
            switch character {
            case "a"..."z", "0"..."9", "A"..."Z":
                if ("A"..."Z").contains(character), let last = name.last, last != "_" { name += "_" }
                name += String(character).uppercased()
            default: name += "_"
            }
        }
        return name
    }
}

struct StandardErrorLogHandler: SettingLogHandler {
    let setting: LogLevelSetting
    var isOfLibraries = false
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    func log(event: LogEvent) {
        let all = metadata(of: event)
        let line = "\(Self.time()) \(event.level.rawValue.uppercased()) \(text(of: event, all))\n"
        let bytes = Array(line.utf8)
        _ = write(2, bytes, bytes.count)
    }

    private static func time() -> String { Date().formatted(timeStyle) }

    /// The C module that has the fields of `timespec` and `tm` differs between static and dynamic builds.
    private static let timeStyle = Date.ISO8601FormatStyle(timeZone: .current)
        .year().month().day().time(includingFractionalSeconds: true)
}

extension Logger {
    var forLibraries: Logger {
        guard var handler = handler as? any SettingLogHandler else { return self }
        handler.isOfLibraries = true
        return Logger(label: label) { [handler] _ in handler }
    }
}
