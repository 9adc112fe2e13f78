import TributaryAdmin

/// An error that prevents the start or ends the daemon, with a sentence for people and the exit status.
struct StartFailure: Error, Hashable, Sendable, CustomStringConvertible {
    var reason: String
    var status: ExitStatus

    init(_ reason: String, status: ExitStatus) {
        self.reason = reason
        self.status = status
    }

    var description: String { reason }
}
