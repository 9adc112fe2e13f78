/// The exit status of a program, with the numbers of sysexits.h.
package enum ExitStatus: Int32, Error, Sendable {
    case done = 0
    case usage = 64
    case badData = 65
    case noSuchThing = 66
    case unavailable = 69
    case internalError = 70
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    case badConfiguration = 78

    package init(_ problem: ProblemDocument) {
        self = problem.type == ProblemKind.startFailed.type ? .unavailable : ExitStatus(httpStatus: problem.status)
    }

    package init(httpStatus: Int) {
        self =
            switch httpStatus {
            case 200..<300: .done
            case 403: .notPermitted
            case 404: .noSuchThing
            case 409, 503, 507: .tryAgain
            case 410, 413, 422: .badData
            case 400..<500: .usage
            default: .internalError
            }
    }
}
