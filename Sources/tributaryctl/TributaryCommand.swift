import ArgumentParser

/// The admin command, whose sub-commands send requests to the daemon or read files.
@main
struct TributaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tributaryctl",
        abstract: "Ask and steer a tributary daemon.",
        discussion: """
            The daemon is found by --socket, TRIBUTARY_SOCKET, --instance, the user's own socket, or
            /run/tributary/admin.sock. With --json a command prints JSON: the daemon's response, where there is one;
            metrics prints text.

            A command ends with 69 when the daemon sends nothing for --timeout; during sync, digest, check, compact
            and backup the daemon sends the progress each second.

            Exit status: 0 done, 64 usage, 65 bad data, 66 no such thing, 69 nobody answers, 70 internal error,
            74 input or output, 75 try again, 77 not permitted, 78 bad configuration.
            """,
        subcommands: [
            StatusCommand.self, WaitCommand.self, SyncCommand.self, PauseCommand.self, ResumeCommand.self,
            SegmentCommand.self,
            WriterCommand.self, ModelCommand.self, ObjectCommand.self, ApplyCommand.self, HistoryCommand.self,
            WatchCommand.self, ConflictCommand.self, DigestCommand.self, CheckCommand.self, BackupCommand.self,
            CompactCommand.self, RestoreCommand.self, ConfigCommand.self, ReloadCommand.self,
            LogLevelCommand.self,
            MetricsCommand.self, ShutdownCommand.self, VersionCommand.self,
        ]
    )

    static func main() async {
        await main(LeadingOptions.movedBehindCommand(Array(CommandLine.arguments.dropFirst())))
    }
}
