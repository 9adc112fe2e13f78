import TestSupport
import Testing
import TributarySync

/// The article for administrators has a row for each problem that `status` can show.
@Suite struct OperatingArticleTests {
    @Test(arguments: SyncProblem.Code.allCases.map(\.rawValue) + ["restartNeeded", "mergeFailed"])
    func saysWhatToDoAboutEachProblem(_ code: String) throws {
        let shown = code.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
        let row = try Article("Operating").text.split(separator: "\n").first { $0.hasPrefix("| `\(shown)` |") }
        #expect(row?.split(separator: "|").count == 3, "no row for \(shown)")
    }
}
