import Yams

/// Counts the nodes of a YAML text with expanded aliases: with aliases of aliases, a short text can represent more
/// nodes than fit into memory.
struct YAMLNodeCount {
    private static let maximumDepth = 32

    private var left: Int
    private let file: String?

    init(limit: Int, file: String?) {
        left = limit
        self.file = file
    }

    mutating func add(_ node: Node, depth: Int = 1) throws(ModelError) {
        left -= 1
        guard left >= 0 else {
            throw ModelError("the aliases stand for more than a model can have", file: file, at: node.mark)
        }
        guard depth <= YAMLNodeCount.maximumDepth else {
            throw ModelError(
                "the values nest more than \(YAMLNodeCount.maximumDepth) deep",
                file: file,
                at: node.mark
            )
        }
        switch node {
        case .scalar, .alias: return
        case .sequence(let sequence): for child in sequence { try add(child, depth: depth + 1) }
        case .mapping(let mapping):
            for (key, value) in mapping {
                try add(key, depth: depth + 1)
                try add(value, depth: depth + 1)
            }
        }
    }
}
