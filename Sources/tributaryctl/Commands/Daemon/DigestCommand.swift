import ArgumentParser
import Foundation
import TributaryAdmin
import TributaryChanges

struct DigestCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest",
        abstract: "Show the digest of the merge state: equal digests prove equal stores.",
        discussion: "Reads the whole store; shows its progress on standard error when that is a terminal."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let text = try await session.follow(AdminCall(.get, .digest), progress: DigestCommand.line)
        if session.json { return session.terminal.print(text) }
        let value = try ResponseJSON.parse(AdminResponse(status: 200, headers: [:], body: Array(text.utf8)))
        session.terminal.print(ResponseJSON.text(value["digest"]) ?? "")
        guard case .object(let vector)? = value["vector"] else { return }
        var table = Table("WRITER", "SEQUENCE", "HASH")
        for member in vector {
            table.add([
                member.key, ResponseJSON.text(member.value["sequence"]), ResponseJSON.text(member.value["hash"]),
            ])
        }
        table.print(on: session.terminal)
    }

    private static func line(_ data: String) -> String? {
        guard let progress = try? JSONDecoder().decode([String: Int].self, from: Data(data.utf8)) else { return nil }
        return CountText.text(progress["objects"] ?? 0, "object") + " read"
    }
}
