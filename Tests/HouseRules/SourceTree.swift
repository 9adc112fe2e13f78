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

struct SourceFile: Sendable {
    let path: String
    let text: String
    let lines: [String]
    /// The lines with comments and string contents blanked out; the same as `lines` for anything but Swift.
    let codeLines: [String]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.components(separatedBy: "\n")
        codeLines = path.hasSuffix(".swift") ? SwiftCode.blanked(text).components(separatedBy: "\n") : lines
    }

    var name: String { path.components(separatedBy: "/").last ?? path }
    var isSwift: Bool { path.hasSuffix(".swift") }
    var isTest: Bool { path.hasPrefix("Tests/") }
    /// Fixtures are data: they are meant to break rules.
    var isFixture: Bool { path.contains("/Misuse/") || path.contains("/Fixtures/") }

    /// A violation for each line of `lines` that `isBad` gives a reason for.
    func violations(in lines: [String], _ isBad: (String) -> String?) -> [Violation] {
        lines.enumerated().compactMap { index, line in
            isBad(line).map { Violation(path: path, line: index + 1, reason: $0) }
        }
    }
}

/// One place that breaks a house rule, and why.
struct Violation: CustomStringConvertible {
    var path: String
    /// Counted from 1; nil when the whole file is meant.
    var line: Int?
    var reason: String

    var description: String {
        guard let line else { return "\(path): \(reason)" }
        return "\(path):\(line): \(reason)"
    }
}

extension String {
    /// Whether a text is in this one, by its bytes: in a debug build `contains` takes seconds for all lines.
    func has(_ word: String) -> Bool { withCString { strstr($0, word) != nil } }

    /// What stands in backticks.
    var code: [String] {
        let parts = split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        return parts.indices.filter { !$0.isMultiple(of: 2) }.map { parts[$0] }.filter { !$0.isEmpty }
    }
}
