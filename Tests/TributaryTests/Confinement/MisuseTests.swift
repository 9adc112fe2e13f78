import Foundation
import TestSupport
import Testing

/// The compiler rejects each marked line.
///
/// Each fixture compiles as it stands; with `MISUSE` it fails on exactly the lines that end with `// error:`.
///
/// Region isolation is a pass over SIL, so the fixtures are compiled that far; checking the types alone would accept
/// several of them.
struct MisuseTests {
    private static let folder = PackageFolder.path("Tests/TributaryTests/Misuse")

    /// The paths of the fixtures by their names; the classes that all fixtures share are no fixture.
    private static let paths: [String: String] = {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        let fixtures = files.filter {
            $0.hasSuffix(".swift") && $0 != "Classes.swift" && !$0.hasPrefix("Undetected/")
        }
        return Dictionary(fixtures.map { (($0 as NSString).lastPathComponent, "\(folder)/\($0)") }) { $1 }
    }()

    private static let fixtures = paths.keys.sorted()

    /// The messages of the compiler that the article on concurrency prints, by fixture.
    private static func documented() throws -> [String: String] {
        let rows = try Article("Concurrency").rows(under: "What the compiler rejects")
        let pairs = rows.compactMap { row in Article.code(row[0]).map { ("\($0).swift", row[2]) } }
        #expect(pairs.count == rows.count, "each row names a fixture")
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    @Test func thereAreEnoughFixtures() {
        #expect(MisuseTests.fixtures.count >= 47)
    }

    @Test func theArticleListsEachFixtureAndNoOther() throws {
        #expect(try MisuseTests.documented().keys.sorted() == MisuseTests.fixtures)
    }

    @Test func eachMisuseIsRejectedWhereItStands() async throws {
        let compiler = try FixtureCompiler()
        let documented = try MisuseTests.documented()
        let failures = await withTaskGroup(of: [String].self) { group in
            // Two at a time: each compiler takes a core and some hundred megabytes.
            var waiting = MisuseTests.fixtures.makeIterator()
            var failures: [String] = []
            for _ in 0..<2 {
                if let next = waiting.next() {
                    group.addTask { await MisuseTests.check(next, documented[next], compiler) }
                }
            }
            while let found = await group.next() {
                failures += found
                if let next = waiting.next() {
                    group.addTask { await MisuseTests.check(next, documented[next], compiler) }
                }
            }
            return failures
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    private static func check(
        _ fixture: String,
        _ answer: String?,
        _ compiler: FixtureCompiler
    ) async -> [String] {
        do {
            let path = try #require(paths[fixture])
            let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
            let marked = lines.indices.filter { lines[$0].hasSuffix("// error:") }.map { $0 + 1 }
            var failures: [String] = []
            let control = try await compiler.compile(path, isMisuse: false)
            if control != .accepted { failures.append("\(fixture): the control must compile: \(control)") }
            let misuse = try await compiler.compile(path, isMisuse: true)
            if marked.isEmpty || misuse.rejectedLines != marked {
                failures.append("\(fixture): lines \(marked) must be rejected, not so: \(misuse)")
            }
            if let answer, !misuse.description.contains(answer) {
                failures.append("\(fixture): the article says '\(answer)', not so: \(misuse)")
            }
            return failures
        } catch {
            return ["\(fixture): \(error)"]
        }
    }
}
