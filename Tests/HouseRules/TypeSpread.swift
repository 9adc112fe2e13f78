/// The number of files of a module that declare or extend each of the module's types.
enum TypeSpread {
    static func counts(in tree: SourceTree) -> [ShapeCount] {
        var files: [String: Set<String>] = [:]
        for file in tree.swiftFiles where !file.isFixture {
            guard let module = StoredProperties.module(ofFile: file.path) else { continue }
            for declaration in TopLevelDeclaration.all(in: file) {
                let name = declaration.name.prefix { $0 != "." }
                files["\(module).\(name)", default: []].insert(file.path)
            }
        }
        return files.map { ShapeCount(subject: $0, value: $1.count, path: $1.min() ?? "") }
            .sorted { $0.subject < $1.subject }
    }
}
