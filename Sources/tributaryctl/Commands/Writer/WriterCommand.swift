import ArgumentParser
import Foundation
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct WriterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "writer",
        abstract: "List the writers of the fleet, trust their keys, give up lost writers.",
        subcommands: [
            WriterListCommand.command, WriterEvictCommand.command, WriterAbandonCommand.command,
            WriterRestampCommand.command, WriterKeyCommand.command, WriterTrustCommand.command,
            WriterRevokeCommand.command,
        ],
        defaultSubcommand: WriterListCommand.command
    )
}

extension Session {
    func writer(_ given: String) async throws -> String {
        if let id = UniqueID(given.lowercased()) { return id.description }
        let found = try await writers { $0.name == given || $0.id.hasPrefix(given.lowercased()) }
        if found.count == 1 { return found[0].id }
        let name = EscapedText.escape(given)
        guard !found.isEmpty else {
            let hint = hints.text("tributaryctl writer list")
            throw CommandFailure(
                reason: "no writer has the name or UUID '\(name)'\nhint: \(hint)",
                status: .noSuchThing
            )
        }
        let lines = found.prefix(10).map { "  \($0.id) \(EscapedText.escape($0.name ?? ""))" }
        let reason = (["'\(name)' matches \(found.count) writers; type more of the UUID"] + lines).joined(
            separator: "\n"
        )
        throw CommandFailure(reason: reason, status: .usage)
    }

    func writers(where fits: (WritersMessage.Writer) -> Bool) async throws -> [WritersMessage.Writer] {
        var found: [WritersMessage.Writer] = []
        var after: String?
        repeat {
            let call = AdminCall(.get, .writers, query: [("limit", "1000"), ("after", after)])
            let page = try await self.call(call).decode(WritersMessage.self)
            found += page.writers.filter(fits)
            after = page.next
        } while after != nil
        return found
    }
}

struct WriterOptions: ParsableArguments {
    @Argument(help: "The writer's name, its UUID, or the first characters of that.")
    var writer: String

    fileprivate func post(_ path: AdminPath, with session: Session) async throws {
        let call = AdminCall(.post, path, try await session.writer(writer))
        try await session.call(call, as: WritersMessage.Writer.self) { writer in
            let label = MissingText.label(writer.id, writer.name)
            session.terminal.print(EscapedText.escape("\(label) is \(writer.state)"))
        }
    }
}

struct WriterListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List writers and how far they are.",
        aliases: ["ls"]
    )

    @OptionGroup var page: PageOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .writers, query: page.query)
        let status = session.json ? nil : try await session.call(AdminCall(.get, .status)).decode(StatusMessage.self)
        try await session.call(call, as: WritersMessage.self) { message in
            let now = Date().timeIntervalSince1970
            var table = Table("WRITER", "NAME", "STATE", "SEQUENCE", "BEHIND", "LAST HEARD", "LAG", "WAITING", "KEY")
            for writer in message.writers {
                // A restored or rebuilt store has the name of the former one.
                let isShared = message.writers.contains { $0.id != writer.id && $0.name == writer.name }
                let name = writer.name.map { isShared ? "\($0) (\(writer.id.prefix(13)))" : $0 }
                table.add([
                    writer.id, name, writer.state, String(writer.sequence), writer.behind.map(String.init),
                    writer.lastHeard.map { TimeText.stretch(now - $0) + " ago" },
                    writer.lagSeconds.map(TimeText.stretch), writer.waiting.map { CountText.text($0, "segment") },
                    writer.keys.map { keys in keys.map { "\($0.key.prefix(8)) \($0.state)" }.joined(separator: ", ") },
                ])
            }
            table.print(on: session.terminal, none: "no more writers")
            if let status { session.terminal.print(fields: StatusText.security(of: status)) }
            PageOptions.printNext(message.next, on: session.terminal)
        }
    }
}

struct WriterEvictCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "No longer wait for the acknowledgements of a writer.",
        discussion: """
            For a machine that is gone, or away for a long time. This store waits for its acknowledgements again as soon as \
            a newer transaction of the writer is applied. Its transactions stay in the store.
            """
    )

    @OptionGroup var options: WriterOptions

    func run(with session: Session) async throws { try await options.post(.evictWriter, with: session) }
}

struct WriterAbandonCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "abandon",
        abstract: "No longer wait for a writer's missing transactions.",
        discussion: """
            For transactions that are lost permanently. Later transactions of other writers are imported at once. Transactions of \
            the writer that arrive later are still applied.
            """
    )

    @OptionGroup var options: WriterOptions

    func run(with session: Session) async throws { try await options.post(.abandonWriter, with: session) }
}

struct WriterRestampCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "restamp",
        abstract: "Continue as a fresh writer, with right clocks for transactions that are not exported yet.",
        discussion: """
            For a store that saved while its machine's clock was ahead. Set the clock right first. The former writer keeps \
            the exported transactions.
            """
    )

    func run(with session: Session) async throws {
        try await session.call(AdminCall(.post, .restamp), as: RestampMessage.self) { message in
            session.terminal.print("writer \(message.former) keeps what it has exported, up to \(message.published)")
            session.terminal.print(
                "this store is now \(message.new), with \(CountText.text(Int(clamping: message.reissued), "transaction"))"
            )
        }
    }
}

struct WriterKeyCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Show the public key of this store, which verifies its signatures.",
        discussion: """
            Compare it on the other machines before you trust it there. The private key is in the file with the store's \
            name and -key at its end, which is not in backups.
            """
    )

    func run(with session: Session) async throws {
        let own = try await session.writers { $0.state == "self" }.first
        guard let key = own?.keys?.first(where: { $0.state == "own" }) else {
            throw CommandFailure(reason: "this store has no key", status: .noSuchThing)
        }
        session.terminal.print(key.key)
    }
}

struct WriterTrustCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Trust the key of a store: apply the segments that it signs.",
        discussion: """
            For a store with segments that are held because its key is not trusted (trust.mode: known). Compare the key \
            first with the key that tributaryctl writer key shows on its machine.
            """
    )

    @OptionGroup var options: WriterOptions
    @OptionGroup var key: KeyOption

    func run(with session: Session) async throws { try await options.post(.trustWriter, key, with: session) }
}

struct WriterRevokeCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Stop trusting a key: hold all new files that are signed with it.",
        discussion: """
            For a machine that is stolen or sold. Applied transactions stay in the store; files that are not applied here \
            yet are held. Run the command on each machine.
            """
    )

    @OptionGroup var options: WriterOptions
    @OptionGroup var key: KeyOption

    func run(with session: Session) async throws { try await options.post(.revokeWriter, key, with: session) }
}

struct KeyOption: ParsableArguments {
    @Option(
        help:
            "The key, 64 hexadecimal digits. Default: trust takes the key of the held files, revoke all keys of the store."
    )
    var key: String?
}

extension WriterOptions {
    fileprivate func post(_ path: AdminPath, _ option: KeyOption, with session: Session) async throws {
        let body = Array(JSONValue.members(["key": option.key.map(JSONValue.string)]).text.utf8)
        let call = AdminCall(.post, path, try await session.writer(writer), body: body)
        try await session.call(call, as: WritersMessage.Writer.self) { writer in
            for key in writer.keys ?? [] {
                let label = EscapedText.escape(MissingText.label(writer.id, writer.name))
                session.terminal.print("\(label): key \(key.key) is \(key.state)")
            }
        }
    }
}
