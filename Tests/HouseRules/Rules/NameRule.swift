/// Names say what a thing is, and some words say nothing.
struct NameRule: HouseRule {
    static let forbidden = ["Util", "Utils", "Utility", "Utilities", "Helper", "Helpers", "Common", "Manager", "Misc"]

    func violations(in tree: SourceTree) -> [Violation] {
        tree.files.flatMap { file in
            var found = Self.words(in: file.path).intersection(Self.forbidden).sorted().map {
                Violation(path: file.path, reason: "has a \"\($0)\" in its name")
            }
            guard file.isSwift else { return found }
            found += file.violations(in: file.codeLines) { line in
                guard let declaration = Self.name(ofTypeDeclaredBy: line) else { return nil }
                let bad = Self.words(in: declaration).intersection(Self.forbidden).sorted().first
                return bad.map { "\(declaration) has a \"\($0)\" in its name" }
            }
            return found
        }
    }

    private static let keywords = ["struct ", "class ", "enum ", "actor ", "protocol ", "typealias "]

    /// The name of the type that a line declares, at any depth.
    private static func name(ofTypeDeclaredBy line: String) -> String? {
        guard keywords.contains(where: line.has) else { return nil }
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+|[a-z]+(?:\([a-z]+\))?\s+)*?(?:struct|class|enum|actor|protocol|typealias)\s+([A-Z]\w*)/
        return (try? pattern.firstMatch(in: line)).map { String($0.output.1) }
    }

    /// The words of a path or of a name in camel case.
    static func words(in name: String) -> Set<String> {
        var words: [String] = [""]
        for character in name {
            if !character.isLetter {
                words.append("")
            } else if character.isUppercase, words.last?.last?.isLowercase == true {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
        return Set(words.map { $0.prefix(1).uppercased() + $0.dropFirst() })
    }
}
