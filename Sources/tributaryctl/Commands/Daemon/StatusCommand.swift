import ArgumentParser
import Foundation
import TributaryAdmin
import TributaryClient

struct StatusCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the daemon is well, its problems with the commands that solve them, and its work.",
        discussion: """
            The first line tells whether all is well. Each problem follows with its writer, its time and the \
            command that helps. Further facts come after the problems. With --watch a terminal shows the \
            problems, the writers with their lag, and the transactions per second; it is updated once a second. Where \
            standard output is not a terminal, each change is a line. The command keeps running while the daemon \
            restarts, and ends when it is interrupted.
            """
    )

    @Flag(name: [.customShort("w"), .long], help: "Show it live until interrupted.")
    var watch = false

    @Flag(help: "Print nothing; exit with 75 when there are problems, or while the daemon starts.")
    var check = false

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.get, .status))
        let status = try response.decode(StatusMessage.self)
        if check {
            for problem in status.problems { session.terminal.complain(EscapedText.escape(problem.detail)) }
            let isStarting = [.starting, .migrating].contains(status.state)
            if isStarting {
                session.terminal.complain("the daemon is still starting: whether it can is not known yet")
            }
            if isStarting || !status.problems.isEmpty { throw ExitStatus.tryAgain }
            return
        }
        if watch { return try await StatusView(session: session).run(after: response) }
        session.show(response) { printText(status, in: session) }
    }

    private func printText(_ status: StatusMessage, in session: Session) {
        let terminal = session.terminal
        terminal.print(StatusText.verdict(of: status, on: terminal))
        for problem in status.problems { ProblemText.print(problem, in: session) }
        for notice in status.notices ?? [] { ProblemText.print(notice, kind: "notice", in: session) }
        let state = terminal.styled(status.state.rawValue, status.problems.isEmpty ? .green : .yellow)
        let uptime = TimeText.stretch(status.uptimeSeconds)
        terminal.print(terminal.label("state", width: 14) + "\(state), up \(uptime), version \(status.version)")
        let segments = status.segments.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        var lines: [(label: String, text: String?)] = [
            ("name", status.name), ("writer", status.writer), ("model", status.modelVersion),
            ("segments", segments.isEmpty ? "none" : segments.joined(separator: ", ")),
        ]
        lines += StatusText.security(of: status)
        if let queue = status.queue, queue > 0 { lines.append(("queue", CountText.text(queue, "segment"))) }
        if status.initialImportComplete == false { lines.append(("import", "the first import is not complete yet")) }
        if let totals = status.totals {
            lines.append(("imported", StatusText.amount(totals.imported) + " since the start"))
            lines.append(("exported", StatusText.amount(totals.exported) + " since the start"))
        }
        lines.append(("last import", TimeText.time(status.lastImport)))
        lines.append(("last merge", TimeText.time(status.lastMerge)))
        lines.append(("next merge", TimeText.time(status.nextMergeDue)))
        if let pending = status.pendingSaves, pending > 0 { lines.append(("pending saves", String(pending))) }
        if let bytes = status.storeBytes {
            lines.append(("store", ByteText.text(bytes) + ", WAL " + ByteText.text(status.walBytes ?? 0)))
        }
        if let folder = status.logFolder {
            let files = CountText.text(folder.files, "file")
            lines.append(
                ("log folder", "\(ByteText.text(folder.bytes)) of \(ByteText.text(folder.maxBytes)), in \(files)")
            )
        }
        for disk in status.disks ?? [] { lines.append(("disk", StatusText.text(disk))) }
        if let deferred = status.deferred, deferred.values + deferred.unknownObjects > 0 {
            let values = CountText.text(deferred.values, "value")
            let objects = CountText.text(deferred.unknownObjects, "object")
            lines.append(("deferred", "\(values), \(objects) that no segment has inserted yet"))
        }
        if let conflicts = status.conflicts, conflicts.kept + conflicts.dropped > 0 {
            let hint = session.hints.text("tributaryctl conflict list")
            let dropped = conflicts.dropped > 0 ? ", \(conflicts.dropped) not kept" : ""
            lines.append(
                ("conflicts", "\(CountText.text(conflicts.kept, "losing value"))\(dropped), to see them: \(hint)")
            )
        }
        if status.restartNeeded { lines.append(("restart", "needed for the whole configuration to take effect")) }
        lines += StatusCommand.writerLines(status.writers, hints: session.hints)
        terminal.print(fields: lines, width: 14)
    }

    private static func writerLines(_ writers: StatusMessage.Writers?, hints: HintText) -> [(String, String?)] {
        guard let writers, writers.count > 0 else { return [] }
        let behind = writers.behind > 0 ? ", \(writers.behind) of them with transactions that are not here" : ""
        let more = writers.count > writers.first.count ? ", to see all: " + hints.text("tributaryctl writer list") : ""
        let now = Date().timeIntervalSince1970
        return [("writers", "\(CountText.text(writers.count, "other"))\(behind)\(more)")]
            + writers.first.map { writer in
                var parts = [writer.state].compactMap(\.self)
                if writer.behind > 0 {
                    parts.append("\(CountText.text(writer.behind, "transaction")) behind")
                    if let lag = writer.lagSeconds { parts.append("for \(TimeText.stretch(lag))") }
                } else {
                    parts.append("up to date")
                }
                if let heard = writer.lastHeard { parts.append("last heard \(TimeText.stretch(now - heard)) ago") }
                return ("", "\(MissingText.label(writer.id, writer.name)): \(parts.joined(separator: ", "))")
            }
    }
}

struct MetricsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Show the metrics in Prometheus's text form."
    )

    func run(with session: Session) async throws {
        session.terminal.print(try await session.call(AdminCall(.get, .metrics)).text)
    }
}

struct VersionCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of this command and of the daemon.",
        discussion: "Ends with 69 when no daemon answers; tributaryctl --version works without a daemon."
    )

    func run(with session: Session) async throws {
        if !session.json { session.terminal.print("tributaryctl \(TributaryVersion.current)") }
        let daemon = try await session.call(AdminCall(.get, .status)).decode(StatusMessage.self).version
        if session.json {
            session.terminal.print("{\"command\":\"\(TributaryVersion.current)\",\"daemon\":\"\(daemon)\"}")
        } else {
            session.terminal.print("tributaryd   \(daemon)")
        }
    }
}
