/// The answer of `POST /v1/reload`.
package struct ReloadMessage: Codable, Hashable, Sendable {
    /// Keys that have another value now.
    package var changed: [String]
    /// Keys that have another value in the configuration, but take effect only after a restart.
    package var restartNeeded: [String]

    package init(changed: [String], restartNeeded: [String]) {
        self.changed = changed
        self.restartNeeded = restartNeeded
    }
}
