import TributaryAdmin

/// Why a command cannot go on, with how it ends.
struct CommandFailure: Error {
    var reason: String
    var status: ExitStatus
}
