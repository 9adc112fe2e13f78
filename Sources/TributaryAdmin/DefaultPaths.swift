import Foundation
import TributaryChanges

/// The default paths of the daemon, either for a service or for the user (XDG base directories).
///
/// The command uses these paths too, because it never reads the configuration.
package struct DefaultPaths: Sendable {
    /// The folder with the service's store, which systemd creates and passes to the daemon.
    package static let serviceState = "/var/lib/tributary"

    /// The folder that systemd gives to the service or instance with the configuration at `path`; nil if no service has
    /// it.
    package static func serviceState(configuredBy path: String) -> String? {
        let folder = "/etc/tributary/"
        guard path.hasPrefix(folder), path.hasSuffix(".yaml") else { return nil }
        let name = path.dropFirst(folder.count).dropLast(".yaml".count)
        guard !name.isEmpty, !name.contains("/") else { return nil }
        return name == "tributary" ? serviceState : "\(serviceState)-\(name)"
    }

    /// The file in the folder of a service that contains the path of its last store.
    package static let lastStore = "last-store"

    package static let longestLastStore = 4_096

    package static func store(of instance: String) -> String { "\(serviceState)-\(instance)/store.sqlite" }

    /// The name that replaces the instance in the socket of the service.
    package static let service = "admin"

    package static func socket(of instance: String = service) -> String {
        "\(socketFolder)\(instance)\(socketSuffix)"
    }

    private static let (socketFolder, socketSuffix) = ("/run/tributary/", ".sock")

    /// The systemd unit that listens at the path according to the installed unit files; nil for a daemon without a
    /// unit.
    package static func unit(of socket: String) -> String? {
        guard let instance = instance(of: socket) else { return nil }
        return unit(ofInstance: instance == service ? nil : instance)
    }

    package static func unit(ofInstance instance: String?) -> String {
        instance.map { "tributaryd@\($0).service" } ?? "tributaryd.service"
    }

    package static func instance(of socket: String) -> String? {
        guard socket.hasPrefix(socketFolder), socket.hasSuffix(socketSuffix) else { return nil }
        let instance = socket.dropFirst(socketFolder.count).dropLast(socketSuffix.count)
        return instance.isEmpty || instance.contains("/") ? nil : String(instance)
    }

    private let environment: [String: String]
    private let serviceState: String?
    private let home: String

    /// The paths of the service with the folder `serviceState`; the paths of the user if it is nil.
    package init(environment: [String: String], serviceState: String?) {
        self.environment = environment
        self.serviceState = serviceState
        home = DefaultPaths.absolute("HOME", environment) ?? NSHomeDirectory()
    }

    private static func absolute(_ variable: String, _ environment: [String: String]) -> String? {
        environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private func xdg(_ variable: String, _ fallback: String) -> String {
        DefaultPaths.absolute(variable, environment) ?? home + "/" + fallback
    }

    package var configuration: String {
        (serviceState != nil ? "/etc" : xdg("XDG_CONFIG_HOME", ".config")) + "/tributary/tributary.yaml"
    }

    private var state: String { serviceState ?? xdg("XDG_STATE_HOME", ".local/state") + "/tributary" }

    package var store: String { state + "/store.sqlite" }
    package var logs: String { state + "/logs" }

    /// The socket; it is next to the store for a user without XDG_RUNTIME_DIR.
    package func socket(besideStore store: String) -> String {
        if serviceState != nil { return DefaultPaths.socket() }
        if let runtime = DefaultPaths.absolute("XDG_RUNTIME_DIR", environment) {
            return runtime + "/tributary/admin.sock"
        }
        return store.folder + "/admin.sock"
    }
}

package struct SocketLocator: Sendable {
    package var environment: [String: String]
    package var userID: UInt32
    package var exists: @Sendable (String) -> Bool

    package init(environment: [String: String], userID: UInt32, exists: @escaping @Sendable (String) -> Bool) {
        self.environment = environment
        self.userID = userID
        self.exists = exists
    }

    /// The path that the arguments or the environment name; nil when the default paths are tried.
    package func named(socket: String?, instance: String?) -> String? {
        let variable = environment["TRIBUTARY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        return socket ?? variable ?? instance.map { DefaultPaths.socket(of: $0) }
    }

    /// Returns the paths to try, the most likely path first; an explicit path is the only one.
    package func candidates(socket: String?, instance: String?) -> [String] {
        if let named = named(socket: socket, instance: instance) { return [named] }
        let service = DefaultPaths.socket()
        guard userID != 0 else { return [service] }
        let paths = DefaultPaths(environment: environment, serviceState: nil)
        return [paths.socket(besideStore: paths.store)].filter(exists) + [service]
    }
}
