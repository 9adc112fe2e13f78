/// The origin of a value of the configuration, or of an error in it.
enum ConfigurationOrigin: Hashable, Sendable {
    case standard
    case file(path: String, line: Int?)
    case environment(String)
    case flag(String)
    /// The socket of the service manager; the value is its path.
    case serviceManager

    /// The origin as one word in the admin interface.
    var word: String {
        switch self {
        case .standard: "default"
        case .file: "file"
        case .environment: "environment"
        case .flag: "flag"
        case .serviceManager: "systemd"
        }
    }

    var source: String? {
        switch self {
        case .standard, .serviceManager: nil
        case .file(let path, _): path
        case .environment(let name), .flag(let name): name
        }
    }

    var line: Int? {
        if case .file(_, let line) = self { line } else { nil }
    }

    var location: String? { source.map { source in line.map { "\(source):\($0)" } ?? source } }
}
