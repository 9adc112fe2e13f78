import Foundation

/// The properties of a systemd unit that `systemctl show` prints.
package struct UnitProperties: Hashable, Sendable {
    package let unit: String
    /// The values of a property that occurs several times are separated by newlines.
    private let values: [String: String]

    package init(unit: String, values: [String: String]) { (self.unit, self.values) = (unit, values) }

    package init(unit: String, shown: String) {
        var values: [String: String] = [:]
        for line in shown.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { continue }
            values[parts[0]] = values[parts[0]].map { $0 + "\n" + parts[1] } ?? parts[1]
        }
        self.init(unit: unit, values: values)
    }

    package init?(asking unit: String, for names: [String]) {
        let command = ["systemctl", "show", "--no-pager", "--property=" + names.joined(separator: ","), "--", unit]
        guard let run = try? CommandRun(command), run.status == 0 else { return nil }
        self.init(unit: unit, shown: run.output)
    }

    /// Empty when systemd has not reported the property.
    package subscript(property: String) -> String { values[property] ?? "" }

    package static let ofState = [
        "LoadState", "ActiveState", "SubState", "Result", "ExecMainStatus", "StateChangeTimestamp",
        "ActiveEnterTimestamp",
    ]

    /// When the unit got its state, as systemd writes it; empty when that is unknown.
    ///
    /// A reload changes the state twice, although the service is active all the time.
    package var since: String {
        let entered = self["ActiveState"] == "active" ? self["ActiveEnterTimestamp"] : ""
        return entered.isEmpty ? self["StateChangeTimestamp"] : entered
    }

    /// Systemd quotes a word with a space.
    package func words(_ property: String) -> [String] { UnitProperties.words(of: self[property]) }

    package static func words(of text: String) -> [String] {
        var (words, word, isQuoted, isEscaped) = ([String](), "", false, false)
        for character in text {
            switch character {
            case _ where isEscaped: (word, isEscaped) = (word + String(character), false)
            case "\\": isEscaped = true
            case "\"": isQuoted.toggle()
            case " " where !isQuoted, "\n" where !isQuoted: (words, word) = (words + [word], "")
            default: word.append(character)
            }
        }
        return (words + [word]).filter { !$0.isEmpty }
    }
}

package struct CommandRun {
    package let output: String
    package let status: Int32

    private static let systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// Also finds programs of the system that are not in the search path.
    package init(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = [
            "PATH": [ProcessInfo.processInfo.environment["PATH"], CommandRun.systemPath].compactMap(\.self)
                .joined(separator: ":"),
            "LC_ALL": "C.UTF-8",
        ]
        // One pipe for both: a program that prints much waits permanently if nobody reads the second pipe.
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        self.output = String(decoding: bytes, as: UTF8.self)
        status = process.terminationStatus
    }
}
