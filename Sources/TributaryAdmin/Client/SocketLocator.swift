/// The default paths of the daemon's socket for the command, which never reads the configuration.
package struct SocketLocator: Sendable {
    package var environment: [String: String]
    package var userID: UInt32
    package var exists: @Sendable (String) -> Bool

    package init(environment: [String: String], userID: UInt32, exists: @escaping @Sendable (String) -> Bool) {
        self.environment = environment
        self.userID = userID
        self.exists = exists
    }

    /// Returns the paths to try, the most likely one first; an explicit path is the only one.
    package func candidates(socket: String?, instance: String?) -> [String] {
        if let socket { return [socket] }
        if let named = environment["TRIBUTARY_SOCKET"], !named.isEmpty { return [named] }
        if let instance { return ["/run/tributary/\(instance).sock"] }
        var paths: [String] = []
        if userID != 0 {
            paths += userSockets.filter(exists)
        }
        return paths + ["/run/tributary/admin.sock"]
    }

    /// The paths for a daemon of the user: below XDG_RUNTIME_DIR or, without it, beside its store.
    private var userSockets: [String] {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            return [runtime + "/tributary/admin.sock"]
        }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return [state + "/tributary/admin.sock"]
        }
        return environment["HOME"].map { [$0 + "/.local/state/tributary/admin.sock"] } ?? []
    }
}
