import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges

enum ProblemText {
    static func print(_ problem: Problem, kind: String = "problem", in session: Session) {
        let terminal = session.terminal
        let lines =
            problem.code == .startFailed ? EscapedText.lines(problem.detail) : [EscapedText.escape(problem.detail)]
        terminal.print(terminal.styled("\(kind): ", kind == "problem" ? .red : .yellow) + lines[0])
        for line in lines.dropFirst() { terminal.print("  " + line) }
        if let writer = problem.writer {
            let name = problem.writerName.map { " (\($0))" } ?? ""
            terminal.print("  writer: " + EscapedText.escape("\(writer)\(name)"))
        }
        for line in MissingText.lines(problem.missing ?? []) {
            terminal.print("  missing: " + EscapedText.escape(line))
        }
        if let since = problem.since?.unixSeconds, let time = TimeText.time(since) {
            let age = Date().timeIntervalSince1970 - since
            // The clock has been set back.
            terminal.print("  since: \(time), " + (age < 0 ? "ahead of this clock" : "\(TimeText.stretch(age)) ago"))
        }
        if let hint = problem.hint { terminal.print("  hint: " + session.hints.text(hint)) }
    }
}

struct LocatedProblem: Error {
    let problem: ProblemDocument
    let text: String
    let position: Int

    init?(_ problem: ProblemDocument, in text: String) {
        guard let position = problem.position, position >= 0, position <= text.count else { return nil }
        self.problem = problem
        self.text = text
        self.position = position
    }

    /// A long text is truncated around the position.
    func lines(width: Int?) -> [String] {
        let room = max(20, (width ?? 80) - 6)
        let start = max(0, position - room / 2)
        let shown = text.dropFirst(start).prefix(room)
        let before = EscapedText.escape(String(shown.prefix(position - start)))
        let after = EscapedText.escape(String(shown.dropFirst(position - start)))
        let (head, tail) = (start > 0 ? "…" : "", text.count > start + room ? "…" : "")
        let indent = String(repeating: " ", count: head.count + before.count)
        return ["  " + head + before + after + tail, "  " + indent + "^"]
    }
}

/// Hints can be pasted: each command gets the options that select the daemon.
struct HintText: Sendable {
    private let options: String

    init(_ connection: ConnectionOptions) {
        options =
            if let socket = connection.socket {
                "--socket \(socket.shellWord) "
            } else if let instance = connection.instance {
                "--instance \(instance.name.shellWord) "
            } else {
                ""
            }
    }

    func text(_ hint: String) -> String {
        EscapedText.escape(HintText.withRights(HintCommands.text(hint, adding: options)))
    }

    static func withRights(_ text: String) -> String { HintCommands.text(text, isRoot: geteuid() == 0) }
}

enum MissingText {
    private static let limit = 8

    /// Such as `transactions 3-6 of till (UUID); it wrote them, office (UUID) has applied them`.
    static func lines(_ missing: [MissingPart]) -> [String] {
        missing.prefix(limit).map { part in
            let (what, them) =
                if let blob = part.blob {
                    ("blob \(blob)", "it")
                } else if part.first == part.last {
                    ("transaction \(part.first ?? 0)", "it")
                } else {
                    ("transactions \(part.first ?? 0)-\(part.last ?? 0)", "them")
                }
            let holders = part.holders.prefix(limit).map { holder in
                switch holder.cause {
                case "wrote": "its machine wrote \(them)"
                case "file": "the folder of \(label(holder.writer, holder.name)) has a file of this name"
                default: "\(label(holder.writer, holder.name)) has applied \(them)"
                }
            }
            return "\(what) of \(label(part.writer, part.writerName)); \(holders.joined(separator: ", "))"
        } + (missing.count > limit ? ["and \(missing.count - limit) more"] : [])
    }

    static func label(_ writer: some CustomStringConvertible, _ name: String?) -> String {
        name.map { "\($0) (\(writer))" } ?? "\(writer)"
    }
}
