import Foundation
import Synchronization
import TributaryAdmin

/// One synchronization at a time; whoever asks for another is told who has the turn and since when.
final class SyncTurn: Sendable {
    private struct Holder {
        let name: String
        let since: Date
    }

    private let holder = Mutex<Holder?>(nil)

    /// Takes the turn; whoever has taken it ends it with ``end()``.
    ///
    /// - Throws: `busy`, with the holder's name.
    func begin(for peer: Peer) throws(ProblemDocument) {
        let other: Holder? = holder.withLock { holder in
            if let holder { return holder }
            holder = Holder(name: peer.name, since: Date())
            return nil
        }
        guard let other else { return }
        throw ProblemDocument(
            .busy,
            detail: "\(other.name) is synchronizing since \(other.since.formatted(.iso8601))",
            hint: "try again when it is done"
        )
    }

    func end() { holder.withLock { $0 = nil } }
}
