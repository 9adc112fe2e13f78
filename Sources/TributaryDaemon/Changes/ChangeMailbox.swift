import Synchronization
import Tributary
import TributaryAdmin
import TributaryChanges

/// What waits to be sent to one client, in bounded memory: updates come together as one, the rest is limited.
final class ChangeMailbox: Sendable {
    /// Things to write, in order.
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

    /// Activities and segments that wait; beyond it the oldest are dropped, as they are news and no data.
    private static let mostEvents = 256

    private let state = Mutex(State())
    private let wakeUp: AsyncStream<Void>.Continuation
    /// A value for each time there is something to write.
    let wakeUps: AsyncStream<Void>

    init() {
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ update: StoreUpdate) {
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

    func put(_ event: ServerSentEvent) {
        state.withLock { state in
            if state.events.count == ChangeMailbox.mostEvents { state.events.removeFirst() }
            state.events.append(event)
        }
        wakeUp.yield()
    }

    /// A sign of life, when nothing else is due.
    func putComment() {
        state.withLock { $0.wantsComment = true }
        wakeUp.yield()
    }

    /// Nothing follows.
    func end() {
        state.withLock { $0.hasEnded = true }
        wakeUp.yield()
    }

    /// Everything that waits.
    func take() -> [Item] {
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
