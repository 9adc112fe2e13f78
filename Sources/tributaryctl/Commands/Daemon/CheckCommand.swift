import ArgumentParser
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct CheckCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the store, the log folder, and that one can be built from the other.",
        discussion: """
            Reads the whole store and every segment, and builds a second store from the segments beside the first \
            store, for which the disk needs room. Shows its progress on standard error when that is a terminal.

            Where segments are missing, it compares the baselines with the store. A baseline without a difference \
            takes the place of the missing segments.

            Ends with 75 when there are problems. Missing segments that only prevent this comparison are not a \
            problem.
            """
    )

    @Flag(help: "Repair what can be rebuilt: indexes, views, own segments, large values.")
    var repair = false

    func run(with session: Session) async throws {
        let call = AdminCall(.post, .check, body: Array("{\"repair\":\(repair)}".utf8))
        let response = try await session.follow(call, progress: ProgressText.counted)
        let report = try response.decode(CheckReport.self)
        session.show(response) { printText(report, in: session) }
        if !report.ok { throw ExitStatus.tryAgain }
    }

    private func printText(_ message: CheckReport, in session: Session) {
        let terminal = session.terminal
        for repair in message.repairs {
            terminal.print(terminal.styled("repaired: ", .green) + EscapedText.escape(repair))
        }
        for problem in message.problems {
            terminal.print(terminal.styled("problem: ", .red) + EscapedText.escape(problem.detail))
            if let file = problem.file { terminal.print("  file: " + EscapedText.escape(file)) }
            if let hint = problem.hint { terminal.print("  hint: " + session.hints.text(hint)) }
        }
        if message.problemCount > message.problems.count {
            terminal.print("and " + CountText.text(message.problemCount - message.problems.count, "more problem"))
        }
        let unapplied = message.unapplied > 0 ? ", \(message.unapplied) of them not applied" : ""
        terminal.print("segments    \(message.segments) verified\(unapplied)")
        if let untrusted = message.untrusted, untrusted > 0 {
            let segments = CountText.text(untrusted, "segment")
            let help = "a new machine would hold them; a signed baseline replaces them: tributaryctl compact"
            terminal.print("untrusted   \(segments), applied without a trusted signature: \(session.hints.text(help))")
        }
        if message.values > 0 { terminal.print("values      \(message.values) large ones verified") }
        if message.unexported > 0 {
            terminal.print("unexported  \(CountText.text(message.unexported, "transaction"))")
        }
        for step in message.baselines ?? [] { terminal.print("baseline    " + CompactCommand.text(step)) }
        terminal.print("comparison  " + text(message.comparison))
        terminal.print("problems    \(message.problemCount)")
    }

    private func text(_ comparison: CheckReport.Comparison) -> String {
        switch comparison.result {
        case "equal": "a store built from the log folder is equal"
        case "different": "a store built from the log folder is different"
        default: "not possible: " + EscapedText.escape(comparison.detail ?? "")
        }
    }
}

struct DigestCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest",
        abstract: "Show the digest of the merge state: equal digests prove equal stores.",
        discussion: "Reads the whole store; shows its progress on standard error when that is a terminal."
    )

    func run(with session: Session) async throws {
        let response = try await session.follow(AdminCall(.get, .digest)) { step in
            CountText.text(step.count("objects"), "object") + " read"
        }
        try session.show(response) {
            let value = try response.json()
            session.terminal.print(value.shown("digest") ?? "")
            guard let vector = value.members("vector") else { return }
            var table = Table("WRITER", "SEQUENCE", "HASH")
            for (writer, position) in vector.map({ ($0.key, $0.value) }) {
                table.add([writer, position.shown("sequence"), position.shown("hash")])
            }
            table.print(on: session.terminal)
        }
    }
}
