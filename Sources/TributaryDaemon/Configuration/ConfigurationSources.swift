/// What a configuration is put together from: flags, the environment, and the file that they name.
package struct ConfigurationSources: Sendable {
    /// The values of flags, with the flags' names.
    package var flags: [ConfigurationKey: String]
    /// The value of `--config`.
    package var file: String?
    package var environment: [String: String]
    package var hostName: String
    /// Relative paths are taken from here.
    package var workingDirectory: String
    /// Where the admin socket listens that the service manager hands over.
    package var inheritedSocket: String?

    package init(
        flags: [ConfigurationKey: String] = [:],
        file: String? = nil,
        environment: [String: String],
        hostName: String,
        workingDirectory: String,
        inheritedSocket: String? = nil
    ) {
        self.flags = flags
        self.file = file
        self.environment = environment
        self.hostName = hostName
        self.workingDirectory = workingDirectory
        self.inheritedSocket = inheritedSocket
    }
}
