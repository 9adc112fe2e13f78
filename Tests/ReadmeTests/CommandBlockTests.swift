import Foundation
import TestSupport
import Testing

/// `.ci/run` types each command that README.md tells people to type.
@Suite struct CommandBlockTests {
    /// The markers of all shell blocks, nil for a block without one.
    private static func markers() throws -> [String?] {
        let lines = try String(contentsOfFile: PackageFolder.path("README.md"), encoding: .utf8)
            .components(separatedBy: "\n")
        return lines.indices.filter { lines[$0] == "```sh" }.map { index in
            (try? /<!-- ((?:command|example): \w+) -->/.wholeMatch(in: lines[index - 1])).map { String($0.1) }
        }
    }

    @Test func everyBlockIsRun() throws {
        let programs = try [".ci/run", ".ci/try-installation"]
            .map { try String(contentsOfFile: PackageFolder.path($0), encoding: .utf8) }.joined()
        let markers = try Self.markers()
        #expect(markers.count >= 6)
        for marker in markers {
            let marker = try #require(marker, "a block without a marker is run by nobody")
            let name = try #require(marker.split(separator: " ").last)
            #expect(
                programs.contains("run_readme_command \(name)\n") || programs.contains("block '\(marker)'"),
                "nothing runs \(marker)"
            )
        }
    }
}
