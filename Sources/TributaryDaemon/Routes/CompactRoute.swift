import Hummingbird
import TransactionLog
import TributaryAdmin
import TributarySync

enum CompactRoute {
    /// `POST /v1/compact`: with `dryRun=true` it only reports the planned steps, and why segments stay.
    static func compact(_ request: AdminRequest) async throws -> Response {
        let mode: Compactor.Mode = try request.query.flag("dryRun") ? .dryRun : .requested
        return try await response(request) { try await $0.compact(mode, progress: $1) }
    }

    /// `POST /v1/baselines/{writer}/{sequence}/accept`: with `unproven=true` a part may be impossible to compare.
    static func accept(_ request: AdminRequest) async throws -> Response {
        let (writer, sequence) = (try request.uniqueID("writer"), try request.parameter("sequence"))
        guard case .baseline(let number) = SegmentFileKind.classify("\(sequence).baseline", writer: writer) else {
            throw ProblemDocument(.badRequest, detail: "'\(sequence)' is not a sequence of 16 hexadecimal digits")
        }
        let name = BaselineName(writer: writer, sequence: number)
        let (isUnproven, user) = (try request.query.flag("unproven"), request.caller.name)
        return try await response(request) {
            try await $0.accept(name, isUnproven: isUnproven, by: user, progress: $1)
        }
    }

    private static func response(
        _ request: AdminRequest,
        _ body: @escaping @Sendable (Compactor, @escaping StoreCheck.Progress) async throws -> some Encodable & Sendable
    ) async throws -> Response {
        let compactor = try request.engine().compactor
        return try await LongWork.response(to: request, holding: request.daemon.compactLock, phase: "verification") {
            try await body(compactor, $0)
        }
    }
}
