import GRDB
package import TributaryChanges

package struct LocalTransaction: Sendable {
    package var author: String?
    package var contextName: String?
    package var changes: [Change]
    package var idempotency: Idempotency?
    package var restoredConflict: Int64?

    package init(
        author: String? = nil,
        contextName: String? = nil,
        changes: [Change],
        idempotency: Idempotency? = nil,
        restoredConflict: Int64? = nil
    ) {
        self.author = author
        self.contextName = contextName
        self.changes = changes
        self.idempotency = idempotency
        self.restoredConflict = restoredConflict
    }

    package struct Idempotency: Sendable {
        package var key: String
        package var detail: String

        package init(key: String, detail: String) {
            self.key = key
            self.detail = detail
        }
    }
}
