import ArgumentParser
import Foundation
import TributaryDaemon

@main
struct TributaryDaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tributaryd",
        abstract: "Keep a store in step with a folder of transaction logs.",
        discussion: """
            Flags win over the environment (TRIBUTARY_CONFIG, _MODEL, _STORE, _LOGS, _SOCKET, _NAME, _LOG_LEVEL), the \
            environment over the file, the file over defaults. Without --config the file is \
            $XDG_CONFIG_HOME/tributary/tributary.yaml, under systemd /etc/tributary/tributary.yaml, when it exists. The \
            checks take the latter, too, for a user without a file.
            """,
        version: DaemonLaunch.version
    )

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The model: .xcdatamodeld, .xcdatamodel or .yaml.", valueName: "path"))
    var model: String?

    @Option(help: ArgumentHelp("The store's SQLite file.", valueName: "path"))
    var store: String?

    @Option(help: ArgumentHelp("The log folder.", valueName: "dir"))
    var logs: String?

    @Option(help: ArgumentHelp("The admin socket.", valueName: "path"))
    var socket: String?

    @Option(help: "The name that other peers are shown.")
    var name: String?

    @Flag(help: "Check the configuration as the user of its unit, start nothing.")
    var checkConfig = false

    @Flag(help: "Print as JSON what keeps the service from working, and what helps (tributaryctl doctor).")
    var doctor = false

    @Option(
        help: ArgumentHelp(
            "Move the store to a folder, and start the service again (tributaryctl store move DIR).",
            valueName: "dir"
        )
    )
    var moveStore: String?

    @Flag(help: "Print every key of the configuration file as JSON, and start nothing.")
    var listSettings = false

    @Flag(name: .customLong("openapi"), help: "Print the OpenAPI document of the admin interface, and start nothing.")
    var openAPI = false

    @Flag(help: "Show two peers at work in a scratch folder.")
    var demo = false

    static var _errorPrefix: String { "tributaryd: " }

    static func main() async {
        DaemonLaunch.prepare()
        do {
            let command = try parse()
            try await command.run()
        } catch {
            let code = exitCode(for: error)
            guard code != .success else { exit(withError: error) }
            DaemonLaunch.complain(fullMessage(for: error))
            Foundation.exit(code.rawValue)
        }
    }

    func run() async throws {
        let flags = ["--model": model, "--store": store, "--logs": logs, "--socket": socket, "--name": name]
        let launch = DaemonLaunch(flags: flags.compactMapValues(\.self), file: config)
        let mode: DaemonLaunch.Mode =
            if listSettings {
                .listSettings
            } else if openAPI {
                .openAPI
            } else if demo {
                .demo
            } else if doctor {
                .doctor
            } else if let moveStore {
                .moveStore(to: moveStore)
            } else {
                checkConfig ? .checkConfiguration : .serve
            }
        Foundation.exit(await launch.run(mode))
    }
}
