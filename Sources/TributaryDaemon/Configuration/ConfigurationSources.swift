/// The sources of a configuration: flags, the environment, and the file that they name.
struct ConfigurationSources: Sendable {
    var flags: [String: String] = [:]
    var file: String?
    var environment: [String: String]
    var hostName: String
    var workingDirectory: String
    /// The path of the admin socket that the service manager hands over; nil when it hands over none.
    var inheritedSocket: String?
}
