import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The manual pages that the package gets, made from the programs.
@Suite struct ManualTests {
    /// The settings as `tributaryd` prints them.
    private func settings(_ folder: TemporaryFolder) async throws -> [[String: Any]] {
        let answer = try await Answer(of: ["--list-settings"], to: "tributaryd", in: folder)
        #expect(answer.ending == .exited(0), "\(answer)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [[String: Any]])
    }

    /// tributary.yaml(5) is made from the table of settings and the sample, and has all that either says.
    @Test func thePageOfTheConfigurationHasEverySetting() async throws {
        let folder = try TemporaryFolder("manual")
        let settings = try await settings(folder)
        #expect(settings.count > 20)
        let answer = try await Answer(
            running: [
                "/usr/bin/env", "python3", PackageFolder.path("etc/debian/make-pages"), "--settings",
                BuildFolder.executable("tributaryd"), folder.path(""),
            ],
            in: folder,
            environment: ["SOURCE_DATE_EPOCH": "1772366709"]
        )
        #expect(answer.ending == .exited(0), "\(answer)")
        let page = try String(contentsOfFile: folder.path("pages/tributary.yaml.5"), encoding: .utf8)
        #expect(page.hasPrefix(".Dd March 1, 2026\n"))
        var parts: [String: String] = [:]
        for part in page.components(separatedBy: "\n.It Cm ").dropFirst() {
            let (key, rest) = try #require(part.firstIndex(of: "\n").map { (part[..<$0], part[$0...]) })
            parts[String(key)] = rest + "\n"
        }
        #expect(Set(parts.keys) == Set(settings.compactMap { $0["key"] as? String }))
        for setting in settings {
            let key = try #require(setting["key"] as? String)
            let part = try #require(parts[key])
            for name in ["flag", "variable"] {
                if let word = setting[name] as? String { #expect(part.contains(word), "\(key) lacks \(word)") }
            }
            if let standard = setting["default"] as? String { #expect(part.contains("Default: \(standard)\n")) }
            #expect(
                part.contains("A change takes effect at the next start.") == (setting["needsRestart"] as? Bool),
                "\(key)"
            )
            #expect(!part.contains("[restart]"), "\(key)")
            let sentences = part.prefix(upTo: part.range(of: "\n.El")?.lowerBound ?? part.endIndex).split(
                separator: "\n"
            )
            for sentence in sentences where sentence != ".br" && !sentence.hasPrefix("Default: ") {
                #expect(
                    sentence.contains(#/^\S.* .*\.$/#) && sentence.first?.isUppercase == true,
                    "\(key): \(sentence)"
                )
            }
        }
        // The sample has this key with its point.
        #expect(parts["logs.max_bytes"]?.contains("limits all files in the log folder together.") == true)
        #expect(parts["logs.max_bytes"]?.contains("This is the folder") == false)
        // Words of the sample, above a key, behind one, and above a section.
        #expect(parts["model"]?.contains("It must exist.") == true)
        #expect(parts["merge.debounce"]?.contains("The main context follows the imports and saves.") == true)
        #expect(parts["export.segment_bytes"]?.contains("The store begins another segment from this size on.") == true)
    }

    /// One number: both programs, the status, and the newest entry of the changelog.
    @Test func theVersionIsTheSameEverywhere() async throws {
        let folder = try TemporaryFolder("version")
        let changelog = try String(contentsOfFile: PackageFolder.path("etc/debian/changelog"), encoding: .utf8)
        let newest = try #require(changelog.firstMatch(of: #/^tributary \(([0-9.]+)\)/#)).1
        let daemon = try await Answer(of: ["--version"], to: "tributaryd", in: folder)
        #expect(daemon.output == "\(newest)\n")
        let command = try await Answer(of: ["--version"], in: folder)
        #expect(command.output == "tributaryctl \(newest)\n")
        #expect(String(newest) == TributaryVersion.current)
        let article = PackageFolder.path("Sources/Tributary/Tributary.docc/Versions.md")
        #expect(try String(contentsOfFile: article, encoding: .utf8).contains("| \(newest) |"))
    }
}
