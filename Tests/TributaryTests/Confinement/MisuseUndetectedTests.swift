import Foundation
import TestSupport
import Testing

/// The compiler does not reject these mistakes, which the article on concurrency lists.
///
/// Each program compiles. Lines that end with `// warning:` have a warning, `// undetected:` marks the mistake where
/// there is none. A first line `// language mode: 5` compiles it in that mode.
struct MisuseUndetectedTests {
    private static let folder = PackageFolder.path("Tests/TributaryTests/Misuse/Undetected")

    private static let programs: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".swift") }.sorted()
    }()

    @Test func theArticleListsEachProgramWithWhatTheCompilerSays() throws {
        let rows = try Article("Concurrency").rows(under: "What it cannot reject")
        #expect(rows.compactMap { Article.code($0[0]).map { "\($0).swift" } }.sorted() == Self.programs)
        for row in rows {
            let text = try String(contentsOfFile: "\(Self.folder)/\(Article.code(row[0]) ?? "").swift", encoding: .utf8)
            #expect(row[2] == (text.contains("// warning:") ? "a warning" : "nothing"), "\(row[0])")
        }
    }

    @Test func eachProgramCompilesWithTheWarningsThatAreMarked() async throws {
        let compiler = try FixtureCompiler()
        for program in Self.programs {
            let path = "\(Self.folder)/\(program)"
            let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
            let marked = lines.indices.filter { lines[$0].hasSuffix("// warning:") }.map { $0 + 1 }
            let mode = lines[0] == "// language mode: 5" ? 5 : 6
            let warnings = try await compiler.warnings(of: path, languageMode: mode)
            #expect(warnings == marked, "\(program)")
            #expect(
                !marked.isEmpty || lines.contains { $0.hasSuffix("// undetected:") },
                "\(program) marks its mistake"
            )
        }
    }
}
