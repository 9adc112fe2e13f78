import Foundation

struct ModelDraft {
    var version: String
    var file: String?
    var entities: [EntityDefinition] = []
    var composites: [String: [Attribute]] = [:]
    var fetchRequests: [String: StoredFetchRequest] = [:]
    var configurations: [String: [String]] = [:]
    private(set) var notices: [String] = []
    private var places: [String: (line: Int, column: Int?)] = [:]

    init(version: String, file: String?) {
        self.version = version
        self.file = file
    }

    mutating func record(_ line: Int?, column: Int? = nil, of element: String) {
        if places[element] == nil { places[element] = line.map { ($0, column) } }
    }

    mutating func notice(_ text: String, line: Int?) {
        guard !notices.contains(where: { $0.hasSuffix(text) }) else { return }
        notices.append(line.map { "line \($0): \(text)" } ?? text)
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
            if error.line == nil, let place = place(of: error.element) { (error.line, error.column) = place }
            throw error
        }
    }

    private func place(of element: String?) -> (line: Int, column: Int?)? {
        guard var element else { return nil }
        while true {
            if let place = places[element] { return place }
            if let property = element.range(of: ", property ") {
                for kind in [", attribute ", ", relationship "] {
                    let name = element.replacingCharacters(in: property, with: kind)
                    if let place = places[name] { return place }
                }
            }
            guard let comma = element.range(of: ", ", options: .backwards) else { return nil }
            element = String(element[..<comma.lowerBound])
        }
    }
}
