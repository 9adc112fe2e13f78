import Foundation
package import Logging

/// Where log entries go: the journal when standard error is connected to it, else standard error.
package enum DaemonLogging {
    package static func makeLogger(environment: [String: String], setting: LogLevelSetting) -> Logger {
        let useJournal = isJournal(environment["JOURNAL_STREAM"])
        return Logger(label: "tributaryd") { label in
            if useJournal {
                JournalLogHandler(label: label, setting: setting)
            } else {
                StandardErrorLogHandler(label: label, setting: setting)
            }
        }
    }

    /// `JOURNAL_STREAM` holds device and inode of the stream; standard error may have been sent elsewhere since.
    private static func isJournal(_ stream: String?) -> Bool {
        guard let inode = stream?.split(separator: ":").last,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2")
        else { return false }
        return target == "socket:[\(inode)]"
    }
}
