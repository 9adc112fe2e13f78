/// The response of `GET /v1/log-level`, and the body of `PUT`.
package struct LogLevelMessage: Codable, Hashable, Sendable {
    package var level: String

    package init(level: String) {
        self.level = level
    }
}
