import ArgumentParser
import Foundation
import TributaryAdmin
import TributaryChanges

@main
struct TributaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tributaryctl",
        abstract: "Inspect and control a tributary daemon.",
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

    static var _errorPrefix: String { "tributaryctl: " }

    static func main() async {
        ExitStatus.endUnlessFilesSuffice(16, for: "tributaryctl")
        let arguments = ConnectionOptions.movedBehindCommand(Array(CommandLine.arguments.dropFirst()))
        if let mistake = mistakenBytes() ?? mistake(in: arguments) {
            Terminal.standard.complain(mistake)
            Foundation.exit(ExitStatus.usage.rawValue)
        }
        do {
            var command = try await asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Escapes the message, because the argument parser repeats arguments unchanged.
    private static func end(with error: any Error) -> Never {
        let (code, message) = (exitCode(for: error), message(for: error))
        guard code != .success, !message.isEmpty else { exit(withError: error) }
        // The rest is the argument's help, the usage, and where to read more.
        let rest = fullMessage(for: error).dropFirst(_errorPrefix.count + message.count)
            .replacing(#/\n +See '(.+)' for more information\./#) { "\nhint: \($0.1)" }
        Terminal.standard.complain(message.prefix(1).lowercased() + message.dropFirst() + rest)
        Foundation.exit(code.rawValue)
    }

    /// An argument that is not UTF-8 would be read as another text.
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
            let lead = "'\(typed) \(EscapedText.escape(word))' is not a command"
            if below.count == configuration.subcommands.count, let meant = meaning(of: word, in: arguments) {
                return lead + HintText.withRights(meant)
            }
            let nearest = word.nearest(in: names.joined()).map { "\(typed) \($0)" }
            return lead + (nearest == nil ? "; all are in '\(typed) --help'" : .question(meaning: nearest))
        }
        return nil
    }

    private static func meaning(of word: String, in arguments: [String]) -> String? {
        let unit = unit(in: arguments)
        switch word {
        case "ls", "list": return "; to list objects: tributaryctl object list ENTITY"
        case "get", "show": return "; to show an object: tributaryctl object get ENTITY ID"
        case "insert", "update", "delete", "rm", "link", "unlink":
            return .question(meaning: "tributaryctl object \(word)")
        case "log", "logs", "journal": return "; to read the daemon's log: journalctl -u \(unit)"
        case "stop": return "; to stop the daemon: systemctl stop \(unit)"
        case "start": return "; to start the daemon: systemctl start \(unit)"
        case "restart": return "; to restart the daemon: systemctl restart \(unit)"
        default: return nil
        }
    }

    private static func unit(in arguments: [String]) -> String {
        let option = "--instance"
        let next = arguments.firstIndex(of: option).map { $0 + 1 }
        let name =
            next.flatMap { arguments.indices.contains($0) ? arguments[$0] : nil }
            ?? arguments.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
        return DefaultPaths.unit(ofInstance: name.flatMap(InstanceName.init(argument:))?.name)
    }
}
