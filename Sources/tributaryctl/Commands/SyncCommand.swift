import ArgumentParser
import Foundation
import TributaryAdmin

struct SyncCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Import what can be imported, merge, export; returns when done.",
        discussion: "Shows its progress on standard error when that is a terminal."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.post, AdminPath.sync)
        let result = try await session.follow(call, progress: SyncCommand.line)
        if session.json { return session.terminal.print(result) }
        show(try JSONDecoder().decode(SyncMessage.self, from: Data(result.utf8)), on: session.terminal)
    }

    private func show(_ message: SyncMessage, on terminal: Terminal) {
        terminal.print("imported " + amount(message.imported))
        let merged = message.merged
        terminal.print(
            merged.everything == true
                ? "merged   more than can be listed"
                : "merged   \(merged.inserted) inserted, \(merged.updated) updated, \(merged.deleted) deleted"
        )
        terminal.print("exported " + amount(message.exported))
        for (state, count) in message.remaining.sorted(by: { $0.key < $1.key }) where count > 0 {
            terminal.print("\(count) \(state): see tributaryctl segment list")
        }
    }

    private func amount(_ amount: SyncMessage.Amount) -> String {
        "\(amount.segments) segments, \(amount.transactions) transactions, \(amount.changes) changes"
    }

    /// What a `progress` event says, for people.
    private static func line(_ data: String) -> String? {
        guard let progress = try? JSONDecoder().decode(Progress.self, from: Data(data.utf8)) else { return nil }
        return "imported \(progress.segments) segments, \(progress.changes) changes; \(progress.queue) in the queue"
    }

    private struct Progress: Decodable {
        var queue: Int
        var segments: Int
        var changes: Int
    }
}
