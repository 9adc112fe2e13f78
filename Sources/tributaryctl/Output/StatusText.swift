import Foundation
import TributaryAdmin
import TributaryChanges
import TributaryClient

enum StatusText {
    static func verdict(of status: StatusMessage, on terminal: Terminal) -> String {
        let notices = status.notices?.count ?? 0
        let word =
            if !status.problems.isEmpty {
                terminal.styled(CountText.text(status.problems.count, "problem"), .red)
            } else if status.state == .running {
                terminal.styled("well", .green) + (notices > 0 ? ", with \(CountText.text(notices, "notice"))" : "")
            } else {
                terminal.styled("not ready", .yellow)
            }
        return "\(word), \(status.state.rawValue) for \(TimeText.stretch(status.uptimeSeconds))"
    }

    /// `/srv: 3.0 GiB free of 9.8 GiB, full in about 12 days`.
    static func text(_ disk: StatusMessage.Disk) -> String {
        let room = "\(ByteText.text(disk.freeBytes)) free of \(ByteText.text(disk.totalBytes))"
        let outlook =
            switch (disk.outlook, disk.daysLeft) {
            case (_, let days?) where days < 1: ", full within a day"
            case (_, let days?): ", full in about \(CountText.text(Int(min(days, 10_000).rounded()), "day"))"
            case ("unknown", nil): ", how it fills is not known yet"
            default: ""
            }
        return "\(disk.paths.joined(separator: " and ")): \(room)\(outlook)"
    }

    /// `known, signs with key 3d4017c3`.
    static func security(of status: StatusMessage) -> [(label: String, text: String?)] {
        let trust = status.trust.map { trust in
            trust.mode + (trust.key.map { ", signs with key \($0.prefix(8))" } ?? "")
        }
        let encryption = status.encryption.map { encryption in
            let further = encryption.keys > 1 ? " (of \(encryption.keys) keys)" : ""
            return (encryption.key.map { "with key \($0.prefix(8))\(further)" } ?? "none")
                + (encryption.required ? ", required of others" : "")
        }
        return [("trust", trust), ("encryption", encryption)]
    }

    static func amount(_ counts: ImportCounts) -> String {
        "\(CountText.text(counts.transactions, "transaction")), \(CountText.text(counts.changes, "change"))"
    }

    /// Returns everything important if there was no status before.
    static func changes(from former: StatusMessage?, to status: StatusMessage) -> [String] {
        var lines: [String] = []
        if former?.state != status.state || (former?.uptimeSeconds ?? 0) > status.uptimeSeconds {
            lines.append("state: \(status.state.rawValue)")
        }
        let (before, now) = (problems(of: former), problems(of: status))
        for (key, problem) in now.sorted(by: { $0.key < $1.key }) where before[key] == nil {
            lines.append("\(problem.kind) \(problem.value.code): \(problem.value.detail)")
        }
        for (key, problem) in before.sorted(by: { $0.key < $1.key }) where now[key] == nil {
            let writer = problem.value.writer.map {
                " of \(MissingText.label($0.description, problem.value.writerName))"
            }
            lines.append("no more: \(problem.value.code)\(writer ?? "")")
        }
        let known = Dictionary((former?.writers?.first ?? []).map { ($0.id, $0.behind) }) { first, _ in first }
        for writer in status.writers?.first ?? [] where known[writer.id] ?? 0 != writer.behind {
            let name = MissingText.label(writer.id, writer.name)
            lines.append(
                writer.behind == 0
                    ? "\(name): up to date" : "\(name): \(CountText.text(writer.behind, "transaction")) behind"
            )
        }
        if let totals = status.totals {
            let isSame = (former?.uptimeSeconds ?? 0) <= status.uptimeSeconds
            let before = isSame ? former?.totals : nil
            for (verb, now, before) in [
                ("imported", totals.imported, before?.imported), ("exported", totals.exported, before?.exported),
            ] {
                let amount = now - (before ?? ImportCounts())
                if amount.transactions > 0 { lines.append("\(verb) \(self.amount(amount))") }
            }
        }
        if lines.isEmpty, former == nil { lines.append("state: \(status.state.rawValue)") }
        return lines
    }

    private static func problems(of status: StatusMessage?) -> [String: (kind: String, value: Problem)] {
        let all =
            (status?.problems ?? []).map { ("problem", $0) } + (status?.notices ?? []).map { ("notice", $0) }
        return Dictionary(all.map { ("\($1.code) \($1.writer?.description ?? "")", ($0, $1)) }) { first, _ in first }
    }
}

struct StatusView {
    let session: Session
    private static let interval = Duration.seconds(1)
    private static let listedProblems = 6

    /// After the first answer of a daemon, its absence does not end the command.
    func run(after response: AdminResponse) async throws {
        var (response, former, isAbsent) = (AdminResponse?.some(response), StatusMessage?.none, false)
        var asked = ContinuousClock.now
        while true {
            let elapsed = ContinuousClock.now - asked
            asked = .now
            let status = try response?.decode(StatusMessage.self)
            if session.json {
                if let response { session.terminal.print(response.text) }
            } else if session.terminal.isInteractive {
                redraw(status, after: former, in: elapsed)
            } else if let status {
                for line in StatusText.changes(from: former, to: status) { session.terminal.print(timed(line)) }
            } else if !isAbsent {
                session.terminal.print(timed("the daemon does not answer; waiting until it does"))
            }
            isAbsent = status == nil
            former = status ?? former
            try await Task.sleep(for: StatusView.interval)
            response = try await next()
        }
    }

    private func next() async throws -> AdminResponse? {
        do {
            return try await session.call(AdminCall(.get, .status))
        } catch let error as AdminClientError {
            switch error {
            case .noDaemon, .interrupted, .silent: return nil
            case .notPermitted, .unreadableResponse: throw error
            }
        } catch let problem as ProblemDocument where problem.status == 503 {
            return nil
        }
    }

    private func timed(_ line: String) -> String {
        (TimeText.time(Date().timeIntervalSince1970) ?? "") + "  " + EscapedText.escape(line)
    }

    /// Overwrites the screen, so that it does not flicker, and prints only as much as fits, so that it does not scroll.
    private func redraw(_ status: StatusMessage?, after former: StatusMessage?, in elapsed: Duration) {
        let terminal = session.terminal.resized
        let room = max(2, (Terminal.lines ?? 24) - 1)
        let time = TimeText.time(Date().timeIntervalSince1970) ?? ""
        let lines =
            status.map { screen($0, after: former, in: elapsed, on: terminal) }
            ?? ["the daemon does not answer; waiting until it does"]
        let shown = [terminal.styled(time, .faint)] + lines
        let text = shown.prefix(room).map { $0 + "\u{1B}[K\n" }.joined()
        terminal.write((former == nil ? "\u{1B}[2J" : "") + "\u{1B}[H" + text + "\u{1B}[J")
    }

    private func screen(
        _ status: StatusMessage,
        after former: StatusMessage?,
        in elapsed: Duration,
        on terminal: Terminal
    ) -> [String] {
        let width = terminal.width ?? 80
        func cut(_ text: String) -> String { text.count > width ? text.prefix(width - 1) + "…" : text }
        var lines = [
            StatusText.verdict(of: status, on: terminal) + EscapedText.escape(status.name.map { "  \($0)" } ?? "")
        ]
        let entries = status.problems.map { ("problem", $0) } + (status.notices ?? []).map { ("notice", $0) }
        for (kind, problem) in entries.prefix(StatusView.listedProblems) {
            let whose = problem.writer.map { " of \(MissingText.label($0.description, problem.writerName))" } ?? ""
            let age =
                problem.since.map { ", for \(TimeText.stretch(Date().timeIntervalSince1970 - $0.unixSeconds))" } ?? ""
            lines.append(cut(EscapedText.escape("\(kind): \(problem.code)\(whose)\(age)")))
            if let hint = problem.hint { lines.append(cut("  " + session.hints.text(hint))) }
        }
        if entries.count > StatusView.listedProblems {
            lines.append("and \(entries.count - StatusView.listedProblems) more")
        }
        lines.append("")
        lines += throughput(status, after: former, in: elapsed).map(cut)
        guard let writers = status.writers, writers.count > 0 else { return lines + ["", "no other writer yet"] }
        var table = Table("WRITER", "BEHIND", "LAG", "LAST HEARD", "STATE")
        let now = Date().timeIntervalSince1970
        for writer in writers.first {
            let lag = writer.behind > 0 ? writer.lagSeconds.map(TimeText.stretch) : nil
            let heard = writer.lastHeard.map { TimeText.stretch(now - $0) + " ago" }
            table.add([MissingText.label(writer.id, writer.name), "\(writer.behind)", lag, heard, writer.state])
        }
        lines += [""] + table.lines(on: terminal)
        if writers.count > writers.first.count { lines.append("of \(writers.count) writers") }
        return lines
    }

    private func throughput(_ status: StatusMessage, after former: StatusMessage?, in elapsed: Duration) -> [String] {
        guard let totals = status.totals else { return [] }
        let before = (former?.uptimeSeconds ?? 0) <= status.uptimeSeconds ? former?.totals : nil
        let seconds = max(0.001, Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18)
        func line(_ verb: String, _ now: ImportCounts, _ before: ImportCounts?) -> String {
            let rate = (now - (before ?? now)).transactions
            let changes = (now - (before ?? now)).changes
            let perSecond = "\(Int(Double(rate) / seconds)) transactions/s, \(Int(Double(changes) / seconds)) changes/s"
            return "\(verb)  \(perSecond); \(StatusText.amount(now)) since the start"
        }
        var lines = [
            line("imported", totals.imported, before?.imported), line("exported", totals.exported, before?.exported),
        ]
        if let queue = status.queue, queue > 0 { lines.append("queue     \(CountText.text(queue, "segment"))") }
        return lines
    }
}
