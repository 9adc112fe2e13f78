/// The answer of `GET /v1/log-level`, and what `PUT` takes.
package struct LogLevelMessage: Codable, Hashable, Sendable {
    package var level: String

    package init(level: String) {
        self.level = level
    }
}
