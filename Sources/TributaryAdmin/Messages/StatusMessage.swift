/// The answer of `GET /v1/status`.
package struct StatusMessage: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable {
        case starting
        case migrating
        case running
        case paused
        case stopping
    }

    /// Something that wants a person's attention.
    package struct Problem: Codable, Hashable, Sendable {
        package var code: String
        /// Unix seconds.
        package var since: Double?
        package var detail: String
        package var hint: String?
        /// The writer whose segments it is about, and what it calls itself.
        package var writer: String?
        package var writerName: String?

        package init(code: String, since: Double?, detail: String, hint: String?) {
            self.code = code
            self.since = since
            self.detail = detail
            self.hint = hint
        }
    }

    /// What was imported and has no effect yet.
    package struct Deferred: Codable, Hashable, Sendable {
        /// Values that the model cannot represent.
        package var values: Int
        /// Objects that were updated and that nobody has inserted.
        package var unknownObjects: Int
        /// The newest of them.
        package var first: [DeferredMessage]

        package init(values: Int, unknownObjects: Int, first: [DeferredMessage]) {
            self.values = values
            self.unknownObjects = unknownObjects
            self.first = first
        }
    }

    /// The version of this interface.
    package var api = 1
    package var version: String
    package var state: State
    package var uptimeSeconds: Double
    package var writer: String?
    package var name: String?
    package var modelVersion: String?
    /// Segments by state.
    package var segments: [String: Int] = [:]
    /// Segments that are known and not yet looked at.
    package var queue: Int?
    package var initialImportComplete: Bool?
    /// Unix seconds, as everything that ends a stretch of time here.
    package var lastImport: Double?
    package var lastMerge: Double?
    package var nextMergeDue: Double?
    package var pendingSaves: Int?
    package var storeBytes: Int64?
    package var walBytes: Int64?
    package var pausedSince: Double?
    package var deferred: Deferred?
    package var restartNeeded = false
    package var problems: [Problem] = []

    package init(version: String, state: State, uptimeSeconds: Double) {
        self.version = version
        self.state = state
        self.uptimeSeconds = uptimeSeconds
    }
}
