import Foundation
import Logging

/// Selects the output of log entries: the journal when standard error is connected to it, otherwise standard error.
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

    /// Whether standard error is still the stream whose device and inode `JOURNAL_STREAM` names.
    private static func isJournal(_ stream: String?) -> Bool {
        guard let inode = stream?.split(separator: ":").last,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2")
        else { return false }
        return target == "socket:[\(inode)]"
    }
}
