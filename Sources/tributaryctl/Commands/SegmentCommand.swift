import ArgumentParser

struct SegmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segment",
        abstract: "Segments of the log folder: what is not applied, and why.",
        subcommands: [
            SegmentListCommand.self, SegmentExplainCommand.self, SegmentRetryCommand.self, SegmentAcceptCommand.self,
        ],
        defaultSubcommand: SegmentListCommand.self
    )
}
