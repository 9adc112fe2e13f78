import Foundation
import Glibc
import Logging

struct StandardErrorLogHandler: SettingLogHandler {
    let setting: LogLevelSetting
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(setting: LogLevelSetting) {
        self.setting = setting
    }

    func log(event: LogEvent) {
        let all = metadata(of: event)
        let line = "\(Self.time()) \(event.level.rawValue.uppercased()) \(text(of: event, all))\n"
        let bytes = Array(line.utf8)
        _ = write(2, bytes, bytes.count)
    }

    private static func time() -> String { Date().formatted(timeStyle) }

    /// The time comes from Foundation: the fields of `timespec` and `tm` belong to the C module that is imported first,
    /// which differs between static and dynamic builds.
    private static let timeStyle = Date.ISO8601FormatStyle(timeZone: .current)
        .year().month().day().time(includingFractionalSeconds: true)
}
