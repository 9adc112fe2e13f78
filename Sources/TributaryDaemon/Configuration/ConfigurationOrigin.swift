enum ConfigurationOrigin: Hashable, Sendable {
    case standard
    case file(path: String, line: Int?, column: Int? = nil)
    case environment(String)
    case flag(String)
    /// The socket of the service manager; the value is its path.
    case serviceManager

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
        case .file(let path, _, _): path
        case .environment(let name), .flag(let name): name
        }
    }

    var line: Int? {
        if case .file(_, let line, _) = self { line } else { nil }
    }

    var column: Int? {
        if case .file(_, _, let column) = self { column } else { nil }
    }

    var location: String? { source.map { source in line.map { "\(source):\($0)" } ?? source } }
}
