import Tributary
import TributaryAdmin
import TributaryStore

/// A token that a client gives back, checked against the store.
enum TokenArgument {
    /// The transaction's number.
    ///
    /// - Throws: 400 for what is no token, 410 for one of another store or one whose history is gone.
    static func number(_ text: String, engine: Engine) async throws -> Int64 {
        guard let token = HistoryToken(text: text) else {
            throw ProblemDocument(.badRequest, detail: "'\(text)' is not a token")
        }
        guard token.store == engine.writer else {
            throw expired("the token '\(text)' is of another store")
        }
        let oldest = try await engine.read { try $0.history.oldestNumber() }
        // A transaction that is committed and not merged yet has a token already.
        let newest = try engine.container.store.read { try $0.history.newestTransaction() }
        guard token.number >= oldest else { throw expired("the history after the token '\(text)' has been purged") }
        guard token.number <= newest else { throw expired("the token '\(text)' is newer than the store") }
        return token.number
    }

    private static func expired(_ detail: String) -> ProblemDocument {
        ProblemDocument(
            .expired,
            detail: detail,
            hint: "fetch the objects anew, then follow the changes from now on (without 'after')"
        )
    }
}
