import Foundation
import Glibc

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
        guard let run = try? CommandRun(command, timeLimit: CommandRun.queryLimit), run.status == 0 else { return nil }
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
    package let errors: String
    package let status: Int32

    /// The greatest number of bytes that are read of each output.
    package static let limit = 1 << 20
    /// The time limit of a program that only reports a state.
    package static let queryLimit = Duration.seconds(60)

    private static let systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    package static func searchPath(ofCaller path: String?, isRoot: Bool) -> String {
        [isRoot ? nil : path, systemPath].compactMap(\.self).joined(separator: ":")
    }

    /// A program that prints more than ``limit``, or takes longer than `timeLimit`, is ended.
    ///
    /// A program that changes something has no time limit: the copy of a large store may take an hour.
    package init(_ command: [String], timeLimit: Duration? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let path = ProcessInfo.processInfo.environment["PATH"]
        process.environment = [
            "PATH": CommandRun.searchPath(ofCaller: path, isRoot: geteuid() == 0), "LC_ALL": "C.UTF-8",
        ]
        let pipes = [Pipe(), Pipe()]
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (pipes[0], pipes[1])
        try process.run()
        let deadline = timeLimit.map { ContinuousClock.now + $0 }
        let texts = CommandRun.read(pipes.map(\.fileHandleForReading), until: deadline) {
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
        (output, errors, status) = (texts[0], texts[1], process.terminationStatus)
    }

    /// Reads both outputs at once: a program waits permanently if nobody reads one of them.
    private static func read(
        _ files: [FileHandle],
        until deadline: ContinuousClock.Instant?,
        whenTooLong end: () -> Void
    ) -> [String] {
        var outputs = files.map { _ in [UInt8]() }
        var open = files.map { pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while open.contains(where: { $0.fd >= 0 }) {
            let rest = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) / .milliseconds(1) }
            let ready = poll(&open, nfds_t(open.count), rest.map { Int32(min($0, 1e9)) } ?? -1)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                end()
                break
            }
            for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
                let count = Glibc.read(open[index].fd, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                let rest = limit - outputs[index].count
                outputs[index] += buffer[..<min(max(0, count), rest)]
                guard count <= 0 || count > rest else { continue }
                if count > 0 { end() }
                open[index].fd = -1
                // A program that writes on ends, too, even if it does not end when it is told to.
                try? files[index].close()
            }
        }
        return outputs.map { String(decoding: $0, as: UTF8.self) }
    }
}
