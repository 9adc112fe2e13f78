import ArgumentParser
import Foundation
import TributaryAdmin

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Move the store of a service.",
        subcommands: [StoreMoveCommand.self]
    )
}

struct StoreMoveCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move the store of the service to another folder of this machine, and start the service there.",
        discussion: """
            Stops the service, moves the store with all that belongs to it, names the new place in the configuration, lets the \
            unit write there, and starts the service again. The log folder stays where it is. Until the configuration names the \
            new place, the store is whole in the former one.

            Ends with 64 when there is a store in the folder already, 66 when there is no store, 74 when the disk has no room, \
            and 77 for others than root, or a folder that others can replace.
            """
    )

    @Argument(help: ArgumentHelp("The new folder; it is made when it is not there.", valueName: "dir"))
    var folder: String

    @OptionGroup var service: ServiceOptions

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if json { throw ValidationError("--json prints nothing here") }
    }

    func run(on terminal: Terminal) throws {
        let status = try DaemonProgram.run(
            ["--move-store", folder] + service.arguments
        )
        guard status == 0 else { throw ExitCode(status) }
    }
}
