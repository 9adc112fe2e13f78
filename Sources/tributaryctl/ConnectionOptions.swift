import ArgumentParser
import TributaryAdmin

struct FormatOptions: ParsableArguments {
    private enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
    }

    @Flag(name: .customLong("json"), help: "Print JSON; of the daemon, its response.")
    private var isJSON = false

    @Option(name: .customShort("o"), help: "The same as an option: -o json.")
    private var format = Format.text

    var json: Bool { isJSON || format == .json }
}

struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("The instance's name: /run/tributary/NAME.sock.", valueName: "name"))
    var instance: InstanceName?

    @Option(
        help: ArgumentHelp(
            "How long to wait until the daemon sends something, such as 2m; a number is seconds.",
            valueName: "time"
        )
    )
    var timeout = DurationArgument.standardTimeout

    @OptionGroup var format: FormatOptions

    private static let withValue: Set<String> = ["--socket", "--instance", "--timeout", "-o"]

    /// Moves options behind the command and its arguments: a unit file has `tributaryctl --socket PATH reload`.
    static func movedBehindCommand(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var options: [String] = []
        while let first = rest.first {
            if first == "--json" || withValue.contains(where: { first.hasPrefix($0 + "=") }) {
                options.append(rest.removeFirst())
            } else if withValue.contains(first), rest.count > 1 {
                options += rest.prefix(2)
                rest.removeFirst(2)
            } else {
                break
            }
        }
        guard !rest.isEmpty else { return arguments }
        // Arguments after `--` are not options.
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return rest[..<end] + options + rest[end...]
    }
}

struct PageOptions: ParsableArguments {
    @Option(name: [.customShort("n"), .long], help: "How many, at most 1000.")
    var limit: Int?

    @Option(help: ArgumentHelp("Continue after the previous list, with its NEXT.", valueName: "next"))
    var after: String?

    var query: [(String, String?)] { [("limit", limit.map(String.init)), ("after", after)] }

    static func printNext(_ next: String?, on terminal: Terminal) {
        if let next { terminal.print("more: --after \(EscapedText.escape(next))") }
    }
}

/// It becomes a part of paths, so it has only characters that systemd does not escape, or systemd's escapes.
struct InstanceName: ExpressibleByArgument {
    let name: String

    init?(argument: String) {
        guard !argument.isEmpty, argument.utf8.count <= 200, argument.wholeMatch(of: #/[A-Za-z0-9:_.\\@-]+/#) != nil
        else { return nil }
        name = argument
    }
}

/// An integer with ms, s, m, h or d, as in the configuration, or seconds.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Double

    static let standardTimeout = DurationArgument(seconds: 30)

    private init(seconds: Double) {
        self.seconds = seconds
    }

    var duration: Duration { .seconds(seconds) }

    var defaultValueDescription: String { "\(Int(seconds))s" }

    init?(argument: String) {
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0), ("", 1.0)]
        for (unit, factor) in units where argument.hasSuffix(unit) {
            if let number = UInt32(argument.dropLast(unit.count)) {
                seconds = Double(number) * factor
                return
            }
        }
        return nil
    }
}

protocol DaemonCommand: ParsableArguments {
    static var configuration: CommandConfiguration { get }

    func run(with session: Session) async throws
}

extension DaemonCommand {
    static var command: any ParsableCommand.Type { ConnectedCommand<Self>.self }
}

private struct ConnectedCommand<Command: DaemonCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Command.configuration }

    @OptionGroup var command: Command

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = Session(connection)
        do {
            try await command.run(with: session)
        } catch {
            throw session.report(error)
        }
    }
}

struct CommandFailure: Error {
    var reason: String
    var status: ExitStatus
}
