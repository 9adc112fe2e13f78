import Synchronization
import TributaryChanges

/// The progress of long work: the name of its phase, and how much of the phase is done.
final class WorkProgress: Sendable {
    private struct State {
        var phase: String
        var done: Int64 = 0
        var total: Int64?
    }

    private let state: Mutex<State>

    init(phase: String) {
        state = Mutex(State(phase: phase))
    }

    func set(phase: String, done: Int64 = 0, total: Int64? = nil) {
        state.withLock { $0 = State(phase: phase, done: done, total: total) }
    }

    var json: JSONValue {
        let state = state.withLock { $0 }
        var members = [
            JSONMember(key: "phase", value: .string(state.phase)), JSONMember(key: "done", value: .integer(state.done)),
        ]
        if let total = state.total { members.append(JSONMember(key: "total", value: .integer(total))) }
        return .object(members)
    }
}
