import TributaryAdmin

struct StartFailure: Error, Hashable, Sendable, CustomStringConvertible {
    var reason: String
    var status: ExitStatus

    init(_ reason: String, status: ExitStatus) {
        self.reason = reason
        self.status = status
    }

    var description: String { reason }
}
