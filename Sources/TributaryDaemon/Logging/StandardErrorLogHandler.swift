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
    private static func time() -> String { Date().formatted(timeStyle) }

    /// The fields of `timespec` and `tm` belong to whichever C module was read first, which differs between a static and
    /// a dynamic build; Foundation's own types do not.
    private static let timeStyle = Date.ISO8601FormatStyle(timeZone: .current)
        .year().month().day().time(includingFractionalSeconds: true)
}
