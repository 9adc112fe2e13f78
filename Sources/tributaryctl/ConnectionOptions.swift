import ArgumentParser

/// The options of every daemon command: the daemon's socket and the format of the response.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("The instance's name: /run/tributary/NAME.sock.", valueName: "name"))
    var instance: String?

    @Option(
        help: ArgumentHelp("How long to wait until the daemon sends something, such as 2m.", valueName: "time")
    )
    var timeout = DurationArgument.standardTimeout

    @Flag(help: "Print the daemon's JSON.")
    var json = false
}
