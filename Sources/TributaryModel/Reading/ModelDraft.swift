import Foundation

/// The parts of a model file before names are resolved, with the line of each element.
struct ModelDraft {
    var version: String
    var file: String?
    var entities: [EntityDefinition] = []
    var composites: [String: [Attribute]] = [:]
    var fetchRequests: [String: StoredFetchRequest] = [:]
    var configurations: [String: [String]] = [:]
    /// The parts of the file that were left out because they are unknown or not supported.
    private(set) var notices: [String] = []
    private var lines: [String: Int] = [:]

    init(version: String, file: String?) {
        self.version = version
        self.file = file
    }

    /// Records the line of an element such as `entity Employee, attribute salary`.
    mutating func recordLine(_ line: Int?, of element: String) {
        if lines[element] == nil { lines[element] = line }
    }

    mutating func notice(_ text: String, line: Int?) {
        guard !notices.contains(where: { $0.hasSuffix(text) }) else { return }
        notices.append(line.map { "line \($0): \(text)" } ?? text)
    }

    func error(_ reason: String, line: Int?, element: String? = nil) -> ModelError {
        ModelError(reason, file: file, line: line, element: element)
    }

    func resolve() throws(ModelError) -> Model {
        do {
            var model = try Model(
                version: version,
                entities: entities,
                composites: composites,
                fetchRequests: fetchRequests,
                configurations: configurations
            )
            model.ownNotices = notices
            return model
        } catch {
            var error = error
            error.file = file
            error.line = error.line ?? line(of: error.element)
            throw error
        }
    }

    /// Returns the line of the element, or of the nearest enclosing element with a known line.
    private func line(of element: String?) -> Int? {
        guard var element else { return nil }
        while true {
            if let line = lines[element] { return line }
            if let property = element.range(of: ", property ") {
                for kind in [", attribute ", ", relationship "] {
                    let name = element.replacingCharacters(in: property, with: kind)
                    if let line = lines[name] { return line }
                }
            }
            guard let comma = element.range(of: ", ", options: .backwards) else { return nil }
            element = String(element[..<comma.lowerBound])
        }
    }
}
