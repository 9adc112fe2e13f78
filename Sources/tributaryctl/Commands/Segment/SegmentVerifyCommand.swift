import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel

struct SegmentVerifyCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check segment files from the first byte to the last, without a daemon.",
        discussion:
            """
            Ends with 65 when a file is not a valid segment, 66 when a file does not exist, 74 when a file cannot be \
            read, 77 when a file is encrypted with a key that --encryption-keys does not have.

            With --model it also lists each value that the model cannot hold, which a daemon would defer, and each \
            mandatory property that is missing, and ends with 65 when there are any. --strict is for the tests of \
            programs that write segments. It also lists forms that daemons accept but writers must not write: UUIDs \
            and hashes in upper case, and changes of to-many relationships with a to-one inverse.
            """
    )

    @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file(extensions: ["tlog"]))
    var files: [String]

    @Option(
        help: ArgumentHelp("Check values against this model: .xcdatamodeld, .xcdatamodel or .yaml.", valueName: "path")
    )
    var model: String?

    @Flag(help: "Refuse what only readers must take; needs --model.")
    var strict = false

    @OptionGroup var encryption: EncryptionOptions

    @OptionGroup var format: FormatOptions

    func validate() throws {
        guard !strict || model != nil else { throw ValidationError("--strict needs --model PATH to check against") }
    }

    func run(on terminal: Terminal) throws {
        let checker = try model.map { ChangeChecker(model: try Model(atPath: $0)) }
        let keys = try encryption.keys()
        var reports: [JSONValue] = []
        var failures: [ExitStatus] = []
        for file in files {
            let report = SegmentReport(path: file, keys: keys)
            if let error = report.error { failures.append(ExitStatus(error)) }
            var findings: ModelFindings?
            if let checker, let source = report.file, let segment = report.segment {
                findings = try ModelFindings(source, segment, checker: checker, isStrict: strict)
                if findings?.count != 0 { failures.append(.badData) }
            }
            if json {
                reports.append(.object(report.members + (findings?.members ?? [])))
            } else {
                printText(report, findings, on: terminal)
            }
        }
        if json {
            terminal.print(JSONValue.object([JSONMember(key: "segments", value: .array(reports))]).text)
        }
        if let worst = failures.min(by: { $0.rawValue < $1.rawValue }) { throw worst }
    }

    private func printText(_ report: SegmentReport, _ findings: ModelFindings?, on terminal: Terminal) {
        if let segment = report.segment {
            let transactions = CountText.text(segment.end.transactions, "transaction")
            let counts = "\(transactions), \(CountText.text(segment.end.changes, "change"))"
            let name = report.isNameChecked ? "" : ", not in a writer's folder: name not checked"
            let path = EscapedText.escape(report.path)
            guard let findings, findings.count > 0 else { return terminal.print("\(path): valid, \(counts)\(name)") }
            let faults = CountText.text(findings.count, "fault")
            terminal.print("\(path): well formed, but not valid for this model: \(faults)\(name)")
            for finding in findings.findings {
                let object = finding.fault.object.map { " \($0)" } ?? ""
                let place = ["line \(finding.line)", finding.fault.entity + object, finding.fault.reason]
                terminal.print("  " + EscapedText.escape(place.filter { !$0.isEmpty }.joined(separator: ": ")))
            }
            if findings.count > findings.findings.count { terminal.print("  and more that are not listed") }
        } else if let error = report.error {
            terminal.print(EscapedText.escape("\(error.description) [\(report.state)]"))
            terminal.print("  hint: \(error.offlineHint)")
        }
    }
}
