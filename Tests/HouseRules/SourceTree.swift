import Foundation
import TestSupport

/// The files that the rules look at: those of this package, or a few made up by a test.
struct SourceTree: Sendable {
    var files: [SourceFile]

    init(_ texts: [String: String]) {
        files = texts.sorted { $0.key < $1.key }.map { SourceFile(path: $0.key, text: $0.value) }
    }

    var swiftFiles: [SourceFile] { files.filter { $0.isSwift } }

    func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

    private static let read = Result { try readThisPackage() }

    /// This package, as it lies around this file; read once.
    static func ofThisPackage() throws -> SourceTree { try read.get() }

    private static func readThisPackage() throws -> SourceTree {
        let root = PackageFolder.path
        let manager = FileManager.default
        var tree = SourceTree([:])
        for entry in try manager.contentsOfDirectory(atPath: root).sorted()
        where !entry.hasPrefix(".build") && entry != ".git" && entry != "Package.resolved" {
            var isFolder: ObjCBool = false
            _ = manager.fileExists(atPath: root + "/" + entry, isDirectory: &isFolder)
            let names = isFolder.boolValue ? try manager.subpathsOfDirectory(atPath: root + "/" + entry) : [""]
            for name in names.sorted() where !name.contains(".build") && !name.contains("__pycache__") {
                let path = name.isEmpty ? entry : entry + "/" + name
                // Binary fixtures have no lines to look at.
                guard let text = try? String(contentsOfFile: root + "/" + path, encoding: .utf8) else {
                    continue
                }
                tree.files.append(SourceFile(path: path, text: text))
            }
        }
        return tree
    }
}
