import Foundation
import TributaryChanges

/// The default paths of a service, or of a user (XDG base directories); the command never reads the configuration.
package struct DefaultPaths: Sendable {
    package static let serviceState = "/var/lib/tributary"

    package static func serviceState(configuredBy path: String) -> String? {
        let folder = "/etc/tributary/"
        guard path.hasPrefix(folder), path.hasSuffix(".yaml") else { return nil }
        let name = path.dropFirst(folder.count).dropLast(".yaml".count)
        guard !name.isEmpty, !name.contains("/") else { return nil }
        return name == "tributary" ? serviceState : "\(serviceState)-\(name)"
    }

    /// Contains the path of the service's last store.
    package static let lastStore = "last-store"

    package static let longestLastStore = 4_096

    package static func store(of instance: String) -> String { "\(serviceState)-\(instance)/store.sqlite" }

    package static let service = "admin"

    package static func socket(of instance: String = service) -> String {
        "\(socketFolder)\(instance)\(socketSuffix)"
    }

    private static let (socketFolder, socketSuffix) = ("/run/tributary/", ".sock")

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

    /// The paths of the user if `serviceState` is nil.
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

    /// The socket of a user without XDG_RUNTIME_DIR is next to the store.
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

    /// Nil when the default paths are tried.
    package func named(socket: String?, instance: String?) -> String? {
        let variable = environment["TRIBUTARY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        return socket ?? variable ?? instance.map { DefaultPaths.socket(of: $0) }
    }

    /// The most likely path comes first.
    package func candidates(socket: String?, instance: String?) -> [String] {
        if let named = named(socket: socket, instance: instance) { return [named] }
        let service = DefaultPaths.socket()
        guard userID != 0 else { return [service] }
        let paths = DefaultPaths(environment: environment, serviceState: nil)
        return [paths.socket(besideStore: paths.store)].filter(exists) + [service]
    }
}
