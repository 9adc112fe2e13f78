import TestSupport
import Testing

/// The article for administrators has a row for each problem that `status` can show.
@Suite struct ProblemsArticleTests {
    private static func codes() throws -> [String] {
        let text = try Article.text(of: "Sources/TributaryAdmin/Messages/Problem.swift")
        return text.matches(of: /static let \w+: Self = "([a-z-]+)"/).map { String($0.1) }
    }

    @Test func saysWhatToDoAboutEachProblem() throws {
        let lines = try Article("Problems").text.split(separator: "\n")
        let codes = try Self.codes()
        #expect(codes.contains("restart-needed") && codes.contains("merge-failed") && codes.contains("segments-held"))
        for code in codes {
            let row = lines.first { $0.hasPrefix("| `\(code)` |") }
            #expect(row?.split(separator: "|").count == 3, "no row for \(code)")
        }
    }
}
