import ArgumentParser
import Foundation
import TributaryAdmin

@main
struct TributaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tributaryctl",
        abstract: "Ask and steer a tributary daemon.",
        discussion: """
            The daemon is found by --socket, TRIBUTARY_SOCKET, --instance, the user's own socket, or \
            /run/tributary/admin.sock. With --json a command prints JSON: the daemon's response, where there is one; \
            metrics prints text.

            A command ends with 69 when the daemon sends nothing for --timeout; during sync, digest, check, compact, \
            baseline accept and backup the daemon sends the progress each second.

            Exit status: 0 done, 64 usage, 65 bad data, 66 no such thing, 69 nobody answers, 70 internal error, \
            74 input or output, 75 try again, 77 not permitted, 78 bad configuration.
            """,
        version: "tributaryctl \(TributaryVersion.current)",
        subcommands: [
            StatusCommand.command, WaitCommand.command, SyncCommand.command, PauseCommand.command,
            ResumeCommand.command, SegmentCommand.self, BaselineCommand.self, WriterCommand.self, ModelCommand.self,
            ObjectCommand.self,
            ApplyCommand.command, HistoryCommand.command, WatchCommand.command, ConflictCommand.self,
            DigestCommand.command, CheckCommand.command, BackupCommand.command, CompactCommand.command,
            RestoreCommand.self, StoreCommand.self, DoctorCommand.self, ReplicatorCommand.self, ConfigCommand.self,
            ReloadCommand.command,
            LogLevelCommand.command, MetricsCommand.command, PageCommand.command, ShutdownCommand.command,
            VersionCommand.command,
        ]
    )

    static func main() async {
        ExitStatus.endUnlessFilesSuffice(16, for: "tributaryctl")
        let arguments = ConnectionOptions.movedBehindCommand(Array(CommandLine.arguments.dropFirst()))
        if let mistake = mistakenBytes() ?? mistake(in: arguments) {
            Terminal.standard.complain(mistake)
            Foundation.exit(ExitStatus.usage.rawValue)
        }
        await main(arguments)
    }

    /// Says which argument is not UTF-8, and would be read as another text.
    private static func mistakenBytes() -> String? {
        let index = (0..<Int(CommandLine.argc)).dropFirst().first { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
        }
        return index.map { "argument \($0) is not UTF-8: '\(EscapedText.escape(CommandLine.arguments[$0]))'" }
    }

    private static func mistake(in arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = self
        var typed = "tributaryctl"
        for word in arguments {
            let below = command.configuration.subcommands
            guard !below.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            let names = below.map { [$0.configuration.commandName ?? ""] + $0.configuration.aliases }
            if let index = names.firstIndex(where: { $0.contains(word) }) {
                command = below[index]
                typed += " " + word
                continue
            }
            let distances = names.joined().map { (name: $0, distance: distance(word, $0)) }
            let nearest = distances.filter { $0.distance <= 2 && $0.distance < $0.name.count }
                .min { $0.distance < $1.distance }
            return "there is no command '\(typed) \(EscapedText.escape(word))'; "
                + (nearest.map { "is '\(typed) \($0.name)' meant?" } ?? "all are in '\(typed) --help'")
        }
        return nil
    }

    private static func distance(_ word: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (index, character) in word.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (other[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
