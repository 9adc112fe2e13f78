import Foundation
import TestSupport
import Testing

/// The article for administrators has a row for each problem that `status` can show.
@Suite struct OperatingArticleTests {
    /// The codes of the folder's problems and those that the daemon adds.
    private static func codes() throws -> [String] {
        let report = try String(
            contentsOfFile: PackageFolder.path("Sources/TributaryDaemon/Routes/StatusRoute.swift"),
            encoding: .utf8
        )
        let sync = try String(
            contentsOfFile: PackageFolder.path("Sources/TributarySync/Service/SyncProblems.swift"),
            encoding: .utf8
        )
        return report.matches(of: /addProblem\(\s+"([a-z-]+)"/).map { String($0.1) }
            + sync.matches(of: /static let \w+: Self = "([a-z-]+)"/).map { String($0.1) }
    }

    @Test func saysWhatToDoAboutEachProblem() throws {
        let lines = try Article("Operating").text.split(separator: "\n")
        let codes = try Self.codes()
        #expect(codes.contains("restart-needed") && codes.contains("merge-failed") && codes.contains("segments-held"))
        for code in codes {
            let row = lines.first { $0.hasPrefix("| `\(code)` |") }
            #expect(row?.split(separator: "|").count == 3, "no row for \(code)")
        }
    }
}
