import Synchronization
import Tributary
import TributaryAdmin
import TributaryChanges

/// The pending events of one client, in a few KiB: updates are combined into one, which names no objects when they are
/// many, and the oldest of other events are dropped.
final class PendingChangeEvents: Sendable {
    enum Item: Sendable {
        case update(StoreUpdate)
        case event(ServerSentEvent)
        case comment
        case end
    }

    private struct State {
        var update: StoreUpdate?
        var events: [ServerSentEvent] = []
        var bytes = 0
        var wantsComment = false
        var hasEnded = false
    }

    /// The greatest number of objects that updates name while an earlier one waits.
    private static let objectLimit = 250
    /// The greatest length in bytes of pending activities and segments; further ones replace the oldest, because they
    /// are not needed to follow the data.
    private static let byteLimit = 8 << 10

    private let state = Mutex(State())
    private let wakeUp: AsyncStream<Void>.Continuation
    /// An element after each change of the pending events.
    let wakeUps: AsyncStream<Void>

    init() {
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func append(_ update: StoreUpdate) {
        state.withLock { state in
            guard let waiting = state.update else {
                state.update = update
                return
            }
            var changes = waiting.changes
            if changes.count + update.changes.count > PendingChangeEvents.objectLimit {
                changes.collapseEverything()
            } else {
                changes.formUnion(update.changes)
            }
            state.update = StoreUpdate(token: update.token, changes: changes)
        }
        wakeUp.yield()
    }

    func append(_ event: ServerSentEvent) {
        state.withLock { state in
            state.events.append(event)
            state.bytes += event.data.utf8.count
            while state.bytes > PendingChangeEvents.byteLimit, state.events.count > 1 {
                state.bytes -= state.events.removeFirst().data.utf8.count
            }
        }
        wakeUp.yield()
    }

    func appendComment() {
        state.withLock { $0.wantsComment = true }
        wakeUp.yield()
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wakeUp.yield()
    }

    func removeAll() -> [Item] {
        state.withLock { state in
            var items = state.events.map(Item.event)
            if let update = state.update { items.append(.update(update)) }
            if items.isEmpty, state.wantsComment { items.append(.comment) }
            if state.hasEnded { items.append(.end) }
            (state.events, state.bytes) = ([], 0)
            state.update = nil
            state.wantsComment = false
            return items
        }
    }
}
