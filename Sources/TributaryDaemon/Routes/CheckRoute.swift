import Hummingbird
import Logging
import Tributary
import TributaryAdmin
import TributaryStore
import TributarySync

/// `POST /v1/check`: one check at a time; with `{"repair":true}` it repairs everything that can be rebuilt.
enum CheckRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let repairs = try await repairs(request)
        let (daemon, caller) = (request.daemon, request.caller)
        return try await LongWork.response(to: request, holding: daemon.checkLock, phase: "integrity") { progress in
            let check = StoreCheck(
                of: engine.container.store,
                logs: daemon.state.configuration.logs,
                encryption: engine.sync.encryption,
                repairs: repairs,
                trust: engine.sync.trust,
                open: { try Store.open($0) },
                progress: progress
            )
            let report = try await check.run()
            log(report, by: caller, daemon.logger)
            // Segments that had vanished are in the log folder again.
            if !report.repairs.isEmpty { engine.scans.published(by: engine.sync.ownWriter) }
            if repairs { engine.sync.lookAtExports() }
            return report
        }
    }

    private static func repairs(_ request: AdminRequest) async throws -> Bool {
        switch try await request.json()["repair"] {
        case nil: return false
        case .boolean(let value)?: return value
        case let other?:
            throw ProblemDocument(.badRequest, detail: "'repair' is \(other.kind), not true or false")
        }
    }

    private static func log(_ report: CheckReport, by caller: Caller, _ logger: Logger) {
        for repair in report.repairs { logger.notice("\(repair)", metadata: ["by": "\(caller.name)"]) }
        guard report.problemCount > 0 else { return logger.info("The check has found no problem") }
        for problem in report.problems.prefix(20) {
            logger.error("\(problem.detail)", metadata: ["code": "\(problem.code)"])
        }
        logger.error("The check has found problems", metadata: ["problems": "\(report.problemCount)"])
    }
}
