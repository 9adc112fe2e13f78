import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct SegmentInspectCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a segment file holds, without a daemon.",
        discussion: "For an invalid segment it prints everything that it could parse, and ends with 65."
    )

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file(extensions: ["tlog"]))
    var file: String

    @Option(help: "How many transactions to list.")
    var limit = 100

    @OptionGroup var encryption: EncryptionOptions

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit is a number from 0") }
    }

    func run(on terminal: Terminal) throws {
        let report = SegmentReport(path: file, keys: try encryption.keys())
        guard let source = report.file else { throw report.error ?? SegmentError(.missing, file: file, reason: "") }
        let header = report.segment?.header ?? (try? SegmentHeader.read(source))
        var summary = SegmentSummary(limit: limit)
        if let segment = report.segment { try summary.read(source, segment) }
        if json {
            var members = report.members
            if let header, let value = try? JSONParser.parse(header.line) {
                members.append(JSONMember(key: "header", value: value))
            }
            if report.segment != nil { members += summary.members }
            terminal.print(JSONValue.object(members).text)
        } else {
            printText(report, header, summary, on: terminal)
        }
        if let error = report.error { throw ExitStatus(error) }
    }

    private func printText(
        _ report: SegmentReport,
        _ header: SegmentHeader?,
        _ summary: SegmentSummary,
        on terminal: Terminal
    ) {
        let segment = report.segment
        let fields: [(label: String, text: String?)] = [
            ("file", report.path), ("state", report.state),
            ("reason", report.error.map { ($0.line.map { "line \($0): " } ?? "") + $0.reason }),
            ("hint", report.error?.offlineHint),
            ("writer", header.map { $0.writer.description + ($0.name.map { " (\($0))" } ?? "") }),
            ("transactions", header.map { "\($0.first) to \($0.last)" }),
            ("previous", header?.previous), ("model", header?.model),
            ("changes", segment.map { "\($0.end.changes)" }), ("bytes", segment.map { "\($0.fileSize)" }),
            ("sha256", segment?.end.sha256),
        ]
        terminal.print(fields: fields, width: 14, .bold)
        guard segment != nil else { return }
        terminal.print("")
        summary.table.print(on: terminal)
        if summary.isCut { terminal.print("more: --limit \(limit * 2)") }
    }
}
