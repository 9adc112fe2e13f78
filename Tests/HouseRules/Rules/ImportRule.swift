/// A file imports only what its target declares, and a target declares only what its files import.
struct ImportRule: HouseRule {
    func violations(in tree: SourceTree) -> [Violation] {
        guard let text = tree.file("Package.swift")?.text else { return [] }
        let manifest = PackageManifest(text)
        let nested = tree.files.filter { $0.name == "Package.swift" && $0.path != "Package.swift" }
            .map { $0.path.dropLast("Package.swift".count) }
        var found: [Violation] = []
        var imported: [String: Set<String>] = [:]

        for file in tree.swiftFiles where !file.isFixture && !nested.contains(where: { file.path.hasPrefix($0) }) {
            guard let target = manifest.target(ofFile: file.path) else {
                if file.path != "Package.swift" {
                    found.append(Violation(path: file.path, reason: "belongs to no target of Package.swift"))
                }
                continue
            }
            let allowed = target.targets.union(target.products).union(ModuleGraph.system)
            for (index, line) in file.codeLines.enumerated() {
                guard let module = Self.module(importedBy: line) else { continue }
                imported[target.name, default: []].insert(module)
                if !allowed.contains(module) {
                    let reason = "imports \(module), which \(target.name) does not declare"
                    found.append(Violation(path: file.path, line: index + 1, reason: reason))
                }
            }
        }
        for target in manifest.targets {
            guard let used = imported[target.name] else { continue }
            // Executables are dependencies of tests so that they are built; nothing imports them.
            let unused = target.targets.union(target.products).subtracting(used).filter {
                $0.first?.isUppercase == true
            }
            for dependency in unused.sorted() {
                found.append(
                    Violation(
                        path: "Package.swift",
                        reason: "\(target.name) declares \(dependency) and never imports it"
                    )
                )
            }
        }
        return found
    }

    /// The module of an import declaration, for example `B` of `package import struct B.C`.
    static func module(importedBy line: String) -> String? {
        guard line.has("import ") else { return nil }
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)/
        return (try? pattern.firstMatch(in: line)).map { String($0.output.1) }
    }
}
