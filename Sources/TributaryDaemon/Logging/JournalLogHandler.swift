import CSystemd
import Glibc
import Logging

/// Writes log entries to systemd's journal with their metadata as fields: `segment` becomes `TRIBUTARY_SEGMENT`.
struct JournalLogHandler: SettingLogHandler {
    let label: String
    let setting: LogLevelSetting
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, setting: LogLevelSetting) {
        self.label = label
        self.setting = setting
    }

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
        let buffers = fields.map { Array($0.utf8) }
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: buffers.count)
        let storage = UnsafeMutableRawBufferPointer.allocate(
            byteCount: buffers.reduce(0) { $0 + $1.count },
            alignment: 1
        )
        defer {
            vectors.deallocate()
            storage.deallocate()
        }
        var offset = 0
        for (index, buffer) in buffers.enumerated() {
            let part = UnsafeMutableRawBufferPointer(rebasing: storage[offset..<(offset + buffer.count)])
            part.copyBytes(from: buffer)
            vectors[index] = iovec(iov_base: part.baseAddress, iov_len: buffer.count)
            offset += buffer.count
        }
        _ = sd_journal_sendv(vectors.baseAddress, Int32(buffers.count))
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
