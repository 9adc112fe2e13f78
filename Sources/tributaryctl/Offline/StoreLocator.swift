/// The default path of the store for offline commands, which never read the configuration.
struct StoreLocator {
    var environment: [String: String]
    var userID: UInt32

    func path(store: String?, instance: String?) -> String {
        if let store { return store }
        if let instance { return "/var/lib/tributary-\(instance)/store.sqlite" }
        if let named = environment["TRIBUTARY_STORE"], !named.isEmpty { return named }
        guard userID != 0 else { return "/var/lib/tributary/store.sqlite" }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/tributary/store.sqlite" }
        return (environment["HOME"] ?? "") + "/.local/state/tributary/store.sqlite"
    }
}
