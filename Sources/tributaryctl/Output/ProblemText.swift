import Foundation
import TributaryAdmin

/// Formats a problem of the daemon's status: the problem, the affected writer, its start and the remedy.
enum ProblemText {
    static func print(_ problem: StatusMessage.Problem, in session: Session) {
        let terminal = session.terminal
        terminal.print(terminal.styled("problem: ", .red) + EscapedText.escape(problem.detail))
        if let writer = problem.writer {
            let name = problem.writerName.map { " (\($0))" } ?? ""
            terminal.print("  writer: " + EscapedText.escape(writer + name))
        }
        for line in MissingText.lines(problem.missing ?? []) {
            terminal.print("  missing: " + EscapedText.escape(line))
        }
        if let since = problem.since, let time = TimeText.time(since) {
            let age = Date().timeIntervalSince1970 - since
            // Somebody has set the clock back.
            terminal.print("  since: \(time), " + (age < 0 ? "ahead of this clock" : "\(TimeText.stretch(age)) ago"))
        }
        if let hint = problem.hint { terminal.print("  hint: " + session.hints.text(hint)) }
    }
}
