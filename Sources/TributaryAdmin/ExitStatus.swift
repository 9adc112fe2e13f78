import Glibc

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

extension ExitStatus {
    /// The status of a failure that may pass without a repair: the service is started again.
    package init?(passing code: Int32?) {
        switch code {
        case EIO, ENOSPC, EDQUOT, EROFS, ENXIO, ENODEV, ESTALE, ETIMEDOUT, ENOTCONN, ECONNABORTED, EHOSTDOWN,
            EHOSTUNREACH, EREMOTEIO:
            self = .inputOutput
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN, EINTR, EBUSY, ENOLCK, EDEADLK: self = .tryAgain
        default: return nil
        }
    }
}

extension ExitStatus {
    /// Too few open files would make event loops and queues trap, so a program checks this first.
    ///
    /// `files` is the number that it needs in addition to three for each event loop.
    package static func endUnlessFilesSuffice(_ files: Int, for program: String) {
        let needed = files + 3 * sysconf(Int32(_SC_NPROCESSORS_ONLN))
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < needed else {
            return
        }
        let reason = "only \(limit.rlim_cur) files may be open at a time, but the program needs \(needed)"
        let text = Array("\(program): \(reason): raise the limit (ulimit -n, LimitNOFILE=)\n".utf8)
        _ = write(2, text, text.count)
        exit(badConfiguration.rawValue)
    }
}
