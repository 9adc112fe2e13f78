import Hummingbird
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributarySync

/// `POST /v1/baselines/{writer}/{sequence}/accept`: endorses a baseline that contradicts nothing here.
///
/// With `unproven=true` a part of the baseline may be impossible to compare.
enum AcceptBaselineRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let (writer, sequence) = (try request.uniqueID("writer"), try request.parameter("sequence"))
        guard let number = UInt64(sequence, radix: 16),
            BaselineName(writer: writer, sequence: number).fileName == "\(sequence).baseline"
        else {
            throw ProblemDocument(.badRequest, detail: "'\(sequence)' is not a sequence of 16 hexadecimal digits")
        }
        let name = BaselineName(writer: writer, sequence: number)
        let isUnproven = try request.query.flag("unproven")
        let (engine, user) = (try request.engine(), request.caller.name)
        let hold = try request.daemon.compactLock.hold(for: request.caller)
        let progress = WorkProgress(phase: "verification")
        let work = LongWork(for: request) {
            defer { hold.release() }
            return try await engine.compactor.accept(name, isUnproven: isUnproven, by: user, progress: progress.set)
        }
        return try await work.response(progress: { progress.json }, result: { try $0.jsonText() })
    }
}
