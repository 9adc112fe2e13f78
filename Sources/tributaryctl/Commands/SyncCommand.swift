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
            let imported = message.imported
            session.terminal.print(
                "imported \(imported.segments ?? 0) segments, \(imported.transactions) transactions, "
                    + "\(imported.changes ?? 0) changes"
            )
            session.terminal.print("merged   \(message.merged.transactions) transactions")
            session.terminal.print(
                "exported \(message.exported.segments ?? 0) segments, \(message.exported.transactions) transactions"
            )
            for (state, count) in message.remaining.sorted(by: { $0.key < $1.key }) where count > 0 {
                session.terminal.print("\(count) \(state): see tributaryctl segment list")
            }
        }
    }
}
