/// The origin of a value of the configuration; later cases have precedence over earlier ones.
package enum ConfigurationOrigin: Hashable, Sendable {
    case standard
    case file(path: String, line: Int)
    case environment(String)
    case flag(String)
    /// The socket of the service manager; the value is its path.
    case serviceManager

    /// The origin as one word in the admin interface.
    package var word: String {
        switch self {
        case .standard: "default"
        case .file: "file"
        case .environment: "environment"
        case .flag: "flag"
        case .serviceManager: "systemd"
        }
    }

    /// The file and line, the variable or the flag.
    package var place: String? {
        switch self {
        case .standard, .serviceManager: nil
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let name): name
        case .flag(let name): name
        }
    }
}
