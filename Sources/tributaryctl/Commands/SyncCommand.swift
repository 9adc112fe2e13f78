import ArgumentParser
import TributaryAdmin

struct SyncCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Import what can be imported, merge, export; returns when done."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        try await session.call(AdminCall(.post, AdminPath.sync), as: SyncMessage.self) { message in
            let terminal = session.terminal
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
    }

    private func amount(_ amount: SyncMessage.Amount) -> String {
        "\(amount.segments) segments, \(amount.transactions) transactions, \(amount.changes) changes"
    }
}
