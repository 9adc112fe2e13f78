import Foundation

/// What a loader has read of a model before names are resolved, and where in the file each element stands.
struct ModelDraft {
    var version: String
    var file: String?
    var entities: [EntityDefinition] = []
    var composites: [String: [Attribute]] = [:]
    var fetchRequests: [String: StoredFetchRequest] = [:]
    var configurations: [String: [String]] = [:]
    /// What was not understood, or is not supported, and was left out.
    private(set) var notices: [String] = []
    private var lines: [String: Int] = [:]

    init(version: String, file: String?) {
        self.version = version
        self.file = file
    }

    /// Remembers where an element such as `entity Employee, attribute salary` stands.
    mutating func place(_ element: String, line: Int?) {
        if lines[element] == nil { lines[element] = line }
    }

    /// Says something once, with the line of the first place.
    mutating func notice(_ text: String, line: Int?) {
        guard !notices.contains(where: { $0.hasSuffix(text) }) else { return }
        notices.append(line.map { "line \($0): \(text)" } ?? text)
    }

    func error(_ reason: String, line: Int?, element: String? = nil) -> ModelError {
        ModelError(reason, file: file, line: line, element: element)
    }

    /// The model, or an error with the place of the element it is about.
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

    /// The line of the element, or else of the nearest one around it that is known.
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
