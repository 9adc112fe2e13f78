import Foundation

/// The default paths: those of systemd, or those of the user (XDG base directories).
struct DefaultPaths: Sendable {
    let environment: [String: String]
    let home: String

    init(environment: [String: String], home: String = NSHomeDirectory()) {
        self.environment = environment
        self.home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
    }

    /// The unit's `StateDirectory=`, or the first one of several.
    private var stateDirectory: String? {
        environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    private func xdg(_ variable: String, _ fallback: String) -> String {
        environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/" + fallback
    }

    var configuration: String {
        stateDirectory != nil
            ? "/etc/tributary/tributary.yaml" : xdg("XDG_CONFIG_HOME", ".config") + "/tributary/tributary.yaml"
    }

    private var state: String { stateDirectory ?? xdg("XDG_STATE_HOME", ".local/state") + "/tributary" }

    var store: String { state + "/store.sqlite" }
    var logs: String { state + "/logs" }

    /// Returns the path of the socket, which is beside the store for a user without XDG_RUNTIME_DIR.
    func socket(store: String) -> String {
        if stateDirectory != nil { return "/run/tributary/admin.sock" }
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            return runtime + "/tributary/admin.sock"
        }
        return (store as NSString).deletingLastPathComponent + "/admin.sock"
    }
}
