/// The origin of a value of the configuration, or of an error in it.
enum ConfigurationOrigin: Hashable, Sendable {
    case standard
    /// A file, with the line from 1.
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

    /// The file, the variable or the flag.
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

    /// The file and line, the variable or the flag.
    var location: String? { source.map { source in line.map { "\(source):\($0)" } ?? source } }
}
