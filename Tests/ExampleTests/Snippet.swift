import Foundation
import TestSupport

/// A block of Swift in the documentation: of an article, the README, or a comment of a declaration.
struct Snippet: Hashable, Sendable {
    let file: String
    let line: Int
    /// The file of `Examples` whose text it is, if the article says so.
    let example: String?
    let text: String

    /// Whether all modules that the blocks use were built.
    static let canCompile = FileManager.default.fileExists(
        atPath: "\(BuildFolder.path)/Modules/TributarySync.swiftmodule"
    )

    /// Every block in the sources, in order.
    static func all() throws -> [Snippet] {
        let sources = PackageFolder.path("Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { name in
            name.hasSuffix(".swift") || name.hasSuffix(".md")
        }
        return try (names.sorted().map { "Sources/\($0)" } + ["README.md"]).flatMap(blocks)
    }

    private static func blocks(of file: String) throws -> [Snippet] {
        let text = try String(contentsOfFile: PackageFolder.path(file), encoding: .utf8)
        let isComment = file.hasSuffix(".swift")
        let lines = text.components(separatedBy: "\n").map { isComment ? comment($0) : $0 }
        var found: [Snippet] = []
        var index = 0
        while index < lines.count {
            defer { index += 1 }
            guard lines[index] == "```swift" else { continue }
            let body = lines[(index + 1)...].prefix { $0 != "```" }.map { $0 ?? "" }
            let marker = index > 0 ? lines[index - 1]?.firstMatch(of: /^<!-- example: (\S+) -->$/) : nil
            let text = body.map { $0 + "\n" }.joined()
            found.append(
                Snippet(file: file, line: index + 2, example: marker.map { String($0.1) }, text: text)
            )
            index += body.count + 1
        }
        return found
    }

    /// The text of a line of a documentation comment; nil for any other line.
    private static func comment(_ line: String) -> String? {
        let code = line.drop { $0 == " " }
        guard code.hasPrefix("///") else { return nil }
        return String(code.dropFirst(3).first == " " ? code.dropFirst(4) : code.dropFirst(3))
    }

    /// The block as a file of its own: what declares is put in a type or left as it is, the rest is put in a function.
    func source(_ number: Int) -> String {
        let place = "#sourceLocation(file: \"\(file)\", line: \(line))\n\(text)#sourceLocation()\n"
        let body =
            switch text.prefix(while: { $0 != " " && $0 != "\n" }) {
            case "extension": place
            case "static": "final class Snippet\(number): ManagedObject {\n\(place)}\n"
            default: "@MainActor\nfunc snippet\(number)() async throws {\n\(place)}\n"
            }
        return Snippet.imports + body
    }

    private static let imports = """
        import Foundation
        import Logging
        import Observation
        import ServiceLifecycle
        import TransactionLog
        import Tributary
        import TributaryChanges
        import TributaryDaemon
        import TributaryModel
        import TributarySync


        """
}
