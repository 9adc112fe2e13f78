import Foundation

/// The targets of Package.swift, read from its text.
struct PackageManifest: Sendable {
    struct Target: Sendable, Hashable {
        var name: String
        var path: String
        var isTest: Bool
        var targets: Set<String>
        /// Products of other packages, each with the name of its module.
        var products: Set<String>
        /// The products that every client of this package fetches, also one without the daemon's trait.
        var productsForAll: Set<String>
    }

    var targets: [Target] = []

    init(_ text: String) {
        for (kind, folder) in [
            ("target", "Sources"), ("executableTarget", "Sources"), ("systemLibrary", "Sources"),
            ("testTarget", "Tests"), ("plugin", "Sources"),
        ] {
            for call in Self.calls(of: kind, in: text) {
                // A product of the package has no capability, only its target has.
                guard kind != "plugin" || call.contains("capability:") else { continue }
                guard let name = Self.strings(after: "name:", in: call).first else { continue }
                let dependencies = Self.bracketed(after: "dependencies:", in: call) ?? ""
                let products = Self.calls(of: "product", in: dependencies)
                let plain = products.reduce(dependencies) { $0.replacingOccurrences(of: $1, with: "") }
                targets.append(
                    Target(
                        name: name,
                        path: Self.strings(after: "path:", in: call).first ?? "\(folder)/\(name)",
                        isTest: folder == "Tests",
                        targets: Set(Self.strings(after: "", in: plain)),
                        products: Set(products.compactMap { Self.strings(after: "name:", in: $0).first }),
                        productsForAll: Set(
                            products.filter { !$0.contains("condition: daemonOnly") }
                                .compactMap { Self.strings(after: "name:", in: $0).first }
                        )
                    )
                )
            }
        }
    }

    func target(named name: String) -> Target? { targets.first { $0.name == name } }

    /// The target that compiles the file at `path`: of nested folders the innermost one.
    func target(ofFile path: String) -> Target? {
        targets.filter { path.hasPrefix($0.path + "/") }.max { $0.path.count < $1.path.count }
    }

    /// Everything that `name` links, its own package's targets and other packages' products.
    func everythingLinked(by name: String) -> Set<String> {
        var found: Set<String> = []
        var waiting = [name]
        while let next = waiting.popLast() {
            guard let target = target(named: next) else { continue }
            found.formUnion(target.products)
            waiting += target.targets.filter { found.insert($0).inserted }
        }
        return found
    }

    /// The arguments of each `.kind(…)` in `text`.
    private static func calls(of kind: String, in text: String) -> [String] {
        var found: [String] = []
        var rest = text[...]
        while let start = rest.range(of: "." + kind + "(") {
            let body = balanced(rest[start.upperBound...], open: "(", close: ")")
            found.append(String(body))
            rest = rest[body.endIndex...]
        }
        return found
    }

    /// The text between the brackets that follow `label`.
    private static func bracketed(after label: String, in text: String) -> String? {
        guard let label = text.range(of: label), let start = text[label.upperBound...].firstIndex(of: "[") else {
            return nil
        }
        return String(balanced(text[text.index(after: start)...], open: "[", close: "]"))
    }

    /// The start of `text` up to the bracket that closes one opened before it.
    private static func balanced(_ text: Substring, open: Character, close: Character) -> Substring {
        var depth = 1
        for index in text.indices {
            if text[index] == open { depth += 1 }
            if text[index] == close { depth -= 1 }
            if depth == 0 { return text[..<index] }
        }
        return text
    }

    /// The string literals that follow each `label`, or all of them when it is empty.
    private static func strings(after label: String, in text: String) -> [String] {
        if label.isEmpty {
            return text.components(separatedBy: "\"").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
        return text.components(separatedBy: label).dropFirst().compactMap { part in
            let pieces = part.components(separatedBy: "\"")
            guard pieces.count > 2, pieces[0].allSatisfy(\.isWhitespace) else { return nil }
            return pieces[1]
        }
    }
}
