import ArgumentParser
import TributaryAdmin
import TributaryChanges

struct DigestCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest",
        abstract: "Show the digest of the merge state: equal digests prove equal stores."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let answer = try await session.call(AdminCall(.get, AdminPath.digest))
        if session.json { return session.terminal.print(answer.text) }
        let value = try AnswerJSON.parse(answer)
        session.terminal.print(AnswerJSON.text(value["digest"]) ?? "")
        guard case .object(let vector)? = value["vector"] else { return }
        var table = Table("WRITER", "SEQUENCE", "HASH")
        for member in vector {
            table.add([member.key, AnswerJSON.text(member.value["sequence"]), AnswerJSON.text(member.value["hash"])])
        }
        table.print(on: session.terminal)
    }
}
