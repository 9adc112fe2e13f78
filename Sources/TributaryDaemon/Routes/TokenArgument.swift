import Tributary
import TributaryAdmin
import TributaryStore

/// Checks a token of a client against the store.
enum TokenArgument {
    static func number(_ text: String, engine: Engine) async throws -> Int64 {
        guard let token = HistoryToken(text: text) else {
            throw ProblemDocument(.badRequest, detail: "'\(text)' is not a token")
        }
        guard token.store == engine.historyName else {
            throw expired("the token '\(text)' is of another store")
        }
        let oldest = try await engine.read { try $0.history.oldestNumber() }
        // A committed transaction that is not merged yet already has a token.
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
