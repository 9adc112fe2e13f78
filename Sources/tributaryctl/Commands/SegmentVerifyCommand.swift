import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct SegmentVerifyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check segment files from the first byte to the last, without a daemon.",
        discussion:
            "Ends with 65 when a file is no valid segment, 66 when one is not there, 74 when one cannot be read."
    )

    @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file(extensions: ["tlog"]))
    var files: [String]

    @Flag(help: "Print JSON.")
    var json = false

    func run(on terminal: Terminal) throws {
        var reports: [JSONValue] = []
        var failures: [ExitStatus] = []
        for file in files {
            let report = SegmentReport(path: file)
            if let error = report.error { failures.append(ExitStatus(error)) }
            if json {
                reports.append(.object(report.members))
            } else {
                show(report, on: terminal)
            }
        }
        if json {
            terminal.print(JSONValue.object([JSONMember(key: "segments", value: .array(reports))]).text)
        }
        if let worst = failures.min(by: { $0.rawValue < $1.rawValue }) { throw worst }
    }

    private func show(_ report: SegmentReport, on terminal: Terminal) {
        if let segment = report.segment {
            let counts = "\(segment.end.transactions) transactions, \(segment.end.changes) changes"
            let name = report.isNameChecked ? "" : ", not in a writer's folder: name not checked"
            terminal.print("\(EscapedText.escape(report.path)): valid, \(counts)\(name)")
        } else if let error = report.error {
            terminal.print(EscapedText.escape("\(error.description) [\(report.state)]"))
            terminal.print("  hint: \(error.hint)")
        }
    }
}
