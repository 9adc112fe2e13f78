import ArgumentParser

struct SegmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segment",
        abstract: "Segments of the log folder: what is not applied, and why; files without a daemon.",
        subcommands: [
            SegmentListCommand.self, SegmentExplainCommand.self, SegmentRetryCommand.self, SegmentAcceptCommand.self,
            SegmentInspectCommand.self, SegmentVerifyCommand.self, SegmentWriteCommand.self,
        ],
        defaultSubcommand: SegmentListCommand.self
    )
}
