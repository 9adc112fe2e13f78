package import TributaryAdmin

/// An error that prevents the start or ends the daemon, with a sentence for people and the exit status.
package struct StartFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: String
    package var status: ExitStatus

    package init(_ reason: String, status: ExitStatus) {
        self.reason = reason
        self.status = status
    }

    package var description: String { reason }
}
