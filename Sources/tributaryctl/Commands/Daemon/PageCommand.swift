import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryClient

struct PageCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Write a page with the state of the store, its fleet and its conflicts, for a browser.",
        discussion: """
            The page is a single HTML file with the present data, which loads nothing from the network. It has names \
            and values of the store, so only its owner can read the file that --output makes. The command does not \
            start a server, because everybody on the machine could read its page. A page that follows the daemon is at \
            admin.listen.
            """
    )

    @Option(help: ArgumentHelp("The file, which must not exist; standard output without it.", valueName: "path"))
    var output: String?

    func run(with session: Session) async throws {
        let accept = session.json ? "application/json" : "text/html"
        let file = try output.map { try NewFile($0, mode: 0o600) }
        let response = try await session.call(AdminCall(.get, .page, headers: ["Accept": accept]))
        guard let file else { return session.terminal.print(response.text) }
        try response.body.withUnsafeBytes { bytes in try file.write(bytes) }
        try file.finish()
        session.terminal.complain("written to \(EscapedText.escape(file.path)), which only its owner can read")
    }
}
