import Synchronization
import Tributary
import TributaryAdmin
import TributaryChanges

/// The pending events of one client, in bounded memory: updates are combined into one, other events are limited.
final class PendingChangeEvents: Sendable {
    /// An item of the stream, in order.
    enum Item: Sendable {
        case update(StoreUpdate)
        case event(ServerSentEvent)
        case comment
        case end
    }

    private struct State {
        var update: StoreUpdate?
        var events: [ServerSentEvent] = []
        var wantsComment = false
        var hasEnded = false
    }

    /// The greatest number of pending activities and segments; further ones replace the oldest, because they are not
    /// needed to follow the data.
    private static let mostEvents = 256

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
            changes.formUnion(update.changes)
            state.update = StoreUpdate(token: update.token, changes: changes)
        }
        wakeUp.yield()
    }

    func append(_ event: ServerSentEvent) {
        state.withLock { state in
            if state.events.count == PendingChangeEvents.mostEvents { state.events.removeFirst() }
            state.events.append(event)
        }
        wakeUp.yield()
    }

    /// Adds a comment, which is sent when nothing else is pending.
    func appendComment() {
        state.withLock { $0.wantsComment = true }
        wakeUp.yield()
    }

    /// Ends the stream after the pending events.
    func end() {
        state.withLock { $0.hasEnded = true }
        wakeUp.yield()
    }

    /// Removes and returns all pending items.
    func removeAll() -> [Item] {
        state.withLock { state in
            var items = state.events.map(Item.event)
            if let update = state.update { items.append(.update(update)) }
            if items.isEmpty, state.wantsComment { items.append(.comment) }
            if state.hasEnded { items.append(.end) }
            state.events = []
            state.update = nil
            state.wantsComment = false
            return items
        }
    }
}
