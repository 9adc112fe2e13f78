import Foundation

enum PublicMembers {
    /// The members that a type has by name, its extensions' as well, in the modules that users see.
    static func byType() throws -> [String: Set<String>] { try all.get() }

    private static let all = Result { try read() }

    private static func read() throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for file in try SourceTree.ofThisPackage().files {
            let folders = [
                "Sources/Tributary/", "Sources/TributaryModel/",
                "Sources/TributaryChanges/",
            ]
            guard file.path.hasSuffix(".swift"), folders.contains(where: file.path.hasPrefix) else { continue }
            let types = file.text.matches(of: /\b(?:class|struct|enum|actor|protocol|extension) ([A-Z]\w*)/)
            let names = file.text.matches(of: /\b(?:func|var|let|case|struct|enum|typealias) `?(\w+)/)
            let several = file.text.matches(of: /, (\w+)(?:: |\n| =)/).map { String($0.1) }
            let hasInit = file.text.contains("init(") || file.text.contains("init?(")
            for type in types {
                found[String(type.1), default: []].formUnion(names.map { String($0.1) } + several)
                if hasInit { found[String(type.1), default: []].insert("init") }
            }
        }
        return found
    }
}
