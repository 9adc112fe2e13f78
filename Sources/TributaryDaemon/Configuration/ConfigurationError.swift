/// An error in the configuration, with its position, its key and its reason.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: String
    /// The file, the environment variable or the flag.
    package var place: String?
    /// The line in the file, from 1.
    package var line: Int?
    package var key: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - reason: The reason as a clause.
    ///   - place: The file, the environment variable or the flag.
    ///   - line: The line in the file, from 1.
    ///   - key: The key of the value.
    package init(_ reason: String, place: String? = nil, line: Int? = nil, key: String? = nil) {
        self.reason = reason
        self.place = place
        self.line = line
        self.key = key
    }

    init(_ reason: String, key: ConfigurationKey, origin: ConfigurationOrigin) {
        self.init(reason, key: key.rawValue)
        switch origin {
        case .standard, .serviceManager: break
        case .file(let path, let line):
            place = path
            self.line = line
        case .environment(let name), .flag(let name): place = name
        }
    }

    package var description: String {
        let position = [place, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return [position, key ?? "", reason].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}
