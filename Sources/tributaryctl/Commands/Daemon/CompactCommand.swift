import ArgumentParser
import TributaryAdmin
import TributaryClient

struct CompactCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Cut a baseline, and remove own segments that are in a verified one.",
        discussion: """
            A baseline is the whole state in one file. It is valid once another store has compared it with its own \
            state. A store without others compares its baseline with the files of the log folder too. Then every store \
            removes its own segments that are in the baseline, that all active stores have acknowledged, and that are \
            older than retention.keep_segments. A new machine starts from the baseline and the segments after it.

            Daemons do this automatically once a day. With --dry-run the command changes nothing: it prints what it \
            would do, and what each remaining segment waits for.
            """
    )

    @Flag(help: "Only tell what would be done.")
    var dryRun = false

    func run(with session: Session) async throws {
        let call = AdminCall(.post, .compact, query: dryRun ? [("dryRun", "true")] : [])
        let response = try await session.follow(call, progress: ProgressText.counted)
        try session.show(response) { printText(try response.decode(CompactionReport.self), in: session) }
    }

    private func printText(_ message: CompactionReport, in session: Session) {
        let terminal = session.terminal
        terminal.print("baseline   " + Self.text(message.baseline, isDryRun: message.dryRun))
        if message.verification.result != .nothing {
            terminal.print("compared   " + Self.text(message.verification, isDryRun: message.dryRun))
        }
        for baseline in message.baselines {
            let state = baseline.verified ? "verified" : "not verified"
            let detail = baseline.detail.map { ". " + EscapedText.escape($0) } ?? ""
            terminal.print(
                "           \(EscapedText.escape(baseline.file)), \(baseline.bytes) bytes, \(state)\(detail)"
            )
        }
        let verb = message.dryRun ? "to remove " : "removed   "
        terminal.print("\(verb) \(CountText.text(message.removedSegments, "segment")), \(message.removedBytes) bytes")
        for file in message.removedBaselines { terminal.print("           \(EscapedText.escape(file))") }
        terminal.print(
            "stay       \(CountText.text(message.remainingSegments, "segment")), \(message.remainingBytes) bytes"
        )
        for segments in Dictionary(grouping: message.remaining.enumerated(), by: \.element.waitsFor).values
            .sorted(by: { $0[0].offset < $1[0].offset })
        {
            let (first, last) = (segments[0].element, segments[segments.count - 1].element)
            let waits = first.waitsFor.map(EscapedText.escape).joined(separator: "; ")
            let more = segments.count > 1 ? " to \(EscapedText.escape(last.file)), \(segments.count) segments" : ""
            terminal.print("           \(EscapedText.escape(first.file))\(more): \(waits)")
        }
    }

    static func text(_ step: CompactionReport.Step, isDryRun: Bool = false) -> String {
        let file = EscapedText.escape(step.file ?? "")
        let detail = EscapedText.escape(step.detail ?? "")
        switch step.result {
        case .cut: return isDryRun ? "would be cut: \(file)" : "cut: \(file)"
        case .exists: return ["\(file) has this state already.", detail].filter { !$0.isEmpty }.joined(separator: " ")
        case .verified: return isDryRun ? "would be verified: \(file)" : "verified: \(file)"
        case .differs: return "\(file) differs: \(detail)"
        default: return [file, detail].filter { !$0.isEmpty }.joined(separator: ": ")
        }
    }
}
