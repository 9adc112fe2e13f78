import ArgumentParser
import Foundation
import TributaryAdmin

struct DoctorCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "List the faults that keep the service from working, with the commands that help.",
        discussion: """
            Looks at the configuration, the model, keys, folders, groups, the unit with its drop-ins, the replicator, ports, the \
            clock and the disks. For root it does so with the rights of the unit's user. It changes nothing, and needs no daemon; \
            while the daemon runs, it lists the problems and notices of its status too.

            Ends with 78 when there is a problem.
            """
    )

    @OptionGroup var service: ServiceOptions

    @OptionGroup var format: FormatOptions

    func run(on terminal: Terminal) throws {
        let arguments = ["--doctor"] + service.arguments
        let (output, status) = try DaemonProgram.output(of: arguments)
        guard let report = try? JSONDecoder().decode(DoctorReport.self, from: output) else {
            throw ExitCode(status == 0 ? ExitStatus.internalError.rawValue : status)
        }
        if json {
            terminal.print(String(decoding: output, as: UTF8.self))
        } else {
            let unit = report.unit.map { ", of \($0)" } ?? ""
            terminal.print("as the user \(EscapedText.escape(report.user + unit))")
            for finding in report.findings { print(finding, on: terminal) }
        }
        if status != 0 { throw ExitCode(status) }
    }

    private func print(_ finding: DoctorReport.Finding, on terminal: Terminal) {
        let style: Terminal.Style =
            switch finding.level {
            case .good: .green
            case .notice: .yellow
            case .problem: .red
            }
        let lead = terminal.label(finding.level.rawValue, width: 9, style)
        // The status contains texts of other machines, and such a text could forge a line.
        let text = "\(finding.subject): \(HintText.withRights(finding.text))"
        let lines = finding.subject == "status" ? [EscapedText.escape(text)] : EscapedText.lines(text)
        terminal.print(lead + lines[0])
        for line in lines.dropFirst() { terminal.print("           " + line) }
        if let hint = finding.hint { show("hint: " + hint, on: terminal) }
        for command in finding.commands { show(command, on: terminal) }
    }

    private func show(_ text: String, on terminal: Terminal) {
        terminal.print("           " + EscapedText.escape(HintText.withRights(text)))
    }
}
