import Foundation
import Glibc
import Logging

/// Writes log entries to standard error, one a line.
struct StandardErrorLogHandler: SettingLogHandler {
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
        let line = "\(Self.time()) \(event.level.rawValue.uppercased()) \(text(of: event, all))\n"
        let bytes = Array(line.utf8)
        _ = write(2, bytes, bytes.count)
    }

    /// Local time such as `2026-03-01T14:05:09.123`.
    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        localtime_r(&now.tv_sec, &parts)
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let milliseconds = String(now.tv_nsec / 1_000_000 + 1_000).dropFirst()
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(milliseconds)"
    }
}
