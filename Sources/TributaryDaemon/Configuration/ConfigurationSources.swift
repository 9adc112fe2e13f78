/// The sources of a configuration: flags, the environment, and the file that they name.
struct ConfigurationSources: Sendable {
    /// The values of the flags, by name: `--store`.
    var flags: [String: String] = [:]
    /// The value of `--config`.
    var file: String?
    var environment: [String: String]
    var hostName: String
    /// The folder to which paths are relative.
    var workingDirectory: String
    /// The path of the admin socket that the service manager hands over; nil when it hands over none.
    var inheritedSocket: String?
}
