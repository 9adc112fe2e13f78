/// The number of Swift files that lie directly in each folder of Sources and Tests.
enum FolderSizes {
    static func counts(in tree: SourceTree) -> [ShapeCount] {
        let folders = tree.swiftFiles.map { String($0.path.dropLast($0.name.count + 1)) }.filter { !$0.isEmpty }
        return Dictionary(grouping: folders) { $0 }.map { ShapeCount(subject: $0, value: $1.count, path: $0) }
            .sorted { $0.subject < $1.subject }
    }
}
