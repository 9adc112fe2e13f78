public import Foundation
import TributaryStore

extension PersistentContainer {
    /// Removes the history that was committed before the date.
    ///
    /// What a registered consumer has still to read stays, unless nothing was heard of the consumer since the date: such a
    /// one finds its token expired. The daemon does this by itself, with its setting `history.keep`.
    public func deleteHistory(before date: Date) async throws {
        do {
            try await store.writeInTurn { try $0.purgeHistory(committedBefore: date.timeIntervalSince1970) }
        } catch {
            throw ContextError(error)
        }
    }
}
