import Foundation
import TributaryAdmin

/// The state of the daemon's unit in systemd, which each command reports when no daemon answers.
struct ServiceState {
    let unit: String
    private let properties: [String: String]

    /// Asks `systemctl show`; nil where systemd does not answer.
    init?(unit: String) {
        let process = Process()
        let output = Pipe()
        // The search path decides which program this is, as for the commands that are printed.
        process.executableURL = URL(filePath: "/usr/bin/env")
        let names = "LoadState,ActiveState,SubState,Result,ExecMainStatus,StateChangeTimestamp"
        process.arguments = ["systemctl", "show", "--no-pager", "--property=\(names)", "--", unit]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let bytes = (try? output.fileHandleForReading.read(upToCount: ServiceState.longestAnswer)) ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        self.init(unit: unit, answer: String(decoding: bytes, as: UTF8.self))
    }

    private static let longestAnswer = 64 << 10

    private init?(unit: String, answer: String) {
        self.unit = unit
        let pairs = answer.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        properties = Dictionary(pairs) { $1 }
        guard properties["ActiveState"] != nil else { return nil }
    }

    var lines: [String] {
        guard properties["LoadState"] != "not-found" else {
            return ["\(unit) is not installed", "hint: systemctl list-units 'tributaryd*'"]
        }
        let state = properties["ActiveState"] ?? ""
        let since = properties["StateChangeTimestamp"].map { " since \($0)" } ?? ""
        let journal = "to see why: journalctl -u \(unit) -n 20"
        let (reason, hint) =
            switch state {
            case "failed": (" (\(failure))", "\(journal); to start it again: systemctl restart \(unit)")
            case "inactive": ("", "to start it: systemctl start \(unit)")
            case "activating", "reloading":
                (properties["SubState"] == "auto-restart" ? " again, after it failed (\(failure))" : "", journal)
            default: ("", "to see what it does: systemctl status \(unit); \(journal)")
            }
        return ["\(unit) is \(state)\(reason)\(since)", "hint: \(hint)"]
    }

    private var failure: String {
        let result = properties["Result"] ?? "unknown"
        return result == "exit-code" ? "exit status \(properties["ExecMainStatus"] ?? "unknown")" : result
    }

    /// The lines for the units that listen on these sockets.
    ///
    /// If systemd does not answer, the command that reads the journal.
    static func lines(for sockets: [String]) -> [String] {
        sockets.compactMap(DefaultPaths.unit(of:)).flatMap { unit in
            ServiceState(unit: unit)?.lines ?? ["hint: journalctl -u \(unit) -n 20"]
        }
    }
}
