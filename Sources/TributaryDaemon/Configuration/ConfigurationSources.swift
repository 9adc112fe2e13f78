/// The sources of a configuration: flags, the environment, and the file that they name.
package struct ConfigurationSources: Sendable {
    /// The values of the flags, with the flags' names.
    package var flags: [ConfigurationKey: String]
    /// The value of `--config`.
    package var file: String?
    package var environment: [String: String]
    package var hostName: String
    /// The folder to which paths are relative.
    package var workingDirectory: String
    /// The path of the admin socket that the service manager hands over; nil when it hands over none.
    package var inheritedSocket: String?

    /// Creates the sources.
    ///
    /// - Parameters:
    ///   - flags: The values of the flags.
    ///   - file: The value of `--config`.
    ///   - environment: The environment of the process.
    ///   - hostName: The name of the machine.
    ///   - workingDirectory: The folder to which paths are relative.
    ///   - inheritedSocket: The path of the socket that the service manager hands over.
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
