import TributaryAdmin

/// An error that ends a command, with its exit status.
struct CommandFailure: Error {
    var reason: String
    var status: ExitStatus
}
