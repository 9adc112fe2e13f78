/// The response of `POST /v1/reload`.
package struct ReloadMessage: Codable, Hashable, Sendable {
    package var changed: [String]
    /// The keys whose new values take effect only after a restart.
    package var restartNeeded: [String]

    package init(changed: [String], restartNeeded: [String]) {
        self.changed = changed
        self.restartNeeded = restartNeeded
    }
}
