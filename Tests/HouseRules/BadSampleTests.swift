import Foundation
import Testing

/// Each rule finds what it is there to find, and lets the good sample pass.
@Suite struct BadSampleTests {
    private static let manifest = """
        let package = Package(targets: [
            .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd"),
            .target(name: "TributaryChanges", dependencies: ["COpenSSL"]),
            .target(name: "TributaryModel", dependencies: ["TributaryChanges", .product(name: "Yams", package: "Yams")]),
            .target(name: "TributaryStore", dependencies: ["TributaryModel", "TributaryChanges", "CSQLite", "CLinux"]),
            .target(
                name: "TributaryMigration",
                dependencies: [
                    "TributaryStore", "TributaryModel", "TributaryChanges", "CSQLite",
                ]
            ),
            .target(name: "CLinux"),
            .target(
                name: "Tributary",
                dependencies: [
                    "TributaryMigration", "TributaryStore", "TributaryModel", "TributaryChanges",
                    "CLinux",
                ]
            ),
            .testTarget(name: "TributaryModelTests", dependencies: ["TributaryModel"]),
        ])
        """

    private func reasons(_ rule: some HouseRule, _ texts: [String: String]) -> [String] {
        rule.violations(in: SourceTree(texts)).map(\.description)
    }

    @Test func libraryThatLinksAServer() {
        let server = Self.manifest.replacingOccurrences(
            of: #"dependencies: ["TributaryModel", "TributaryChanges", "CSQLite", "CLinux"]"#,
            with: #"dependencies: ["TributaryModel", "TributaryChanges", "CSQLite", "CLinux", "#
                + #".product(name: "NIOCore", package: "swift-nio")]"#
        )
        #expect(
            reasons(ManifestRule(), ["Package.swift": server])
                == ["Package.swift: Tributary links NIOCore, a server"]
        )
    }

    @Test func clientThatFetchesAServer() {
        let sample = { (condition: String) in
            Self.manifest.replacingOccurrences(
                of: #".testTarget(name: "TributaryModelTests", dependencies: ["#,
                with: #".target(name: "TributaryAdmin", dependencies: ["TributaryModel", "TributaryChanges","#
                    + #" .product(name: "NIOCore", package: "swift-nio""#
                    + condition + ")]),\n.testTarget(name: \"TributaryModelTests\", dependencies: ["
            )
        }
        #expect(
            reasons(ManifestRule(), ["Package.swift": sample("")]) == [
                "Package.swift: TributaryAdmin has clients of the library fetch NIOCore: it needs 'condition: daemonOnly'"
            ]
        )
        for good in [sample(", condition: daemonOnly"), Self.manifest] {
            #expect(reasons(ManifestRule(), ["Package.swift": good]) == [])
        }
    }

    @Test func importThatIsNotDeclared() {
        let good = ["TributaryChanges", "Yams"].map { "import \($0)" }.joined(separator: "\n")
        #expect(
            reasons(ImportRule(), ["Package.swift": Self.manifest, "Sources/TributaryModel/Model.swift": good]) == []
        )
        let bad = good + "\n@preconcurrency package import struct CSystemd.iovec\n// import Nothing"
        #expect(
            reasons(ImportRule(), ["Package.swift": Self.manifest, "Sources/TributaryModel/Model.swift": bad])
                == ["Sources/TributaryModel/Model.swift:3: imports CSystemd, which TributaryModel does not declare"]
        )
    }

    @Test func dependencyThatNothingImports() {
        let found = reasons(
            ImportRule(),
            ["Package.swift": Self.manifest, "Sources/TributaryModel/Model.swift": "import TributaryChanges"]
        )
        #expect(found == ["Package.swift: TributaryModel declares Yams and never imports it"])
    }

    @Test func fileOfNoTarget() {
        let found = reasons(ImportRule(), ["Package.swift": Self.manifest, "Sources/Stray/File.swift": ""])
        #expect(found == ["Sources/Stray/File.swift: belongs to no target of Package.swift"])
    }

    @Test func fileThatWasLeftBehind() {
        let good = ["Package.swift": "", "Sources/A/A.swift": "", "etc/a": "", ".gitignore": ""]
        #expect(reasons(TopLevelRule(), good) == [])
        #expect(
            reasons(TopLevelRule(), good.merging(["store.lock": "", "Docs/a.md": ""]) { first, _ in first })
                == ["Docs: does not belong at the top level", "store.lock: does not belong at the top level"]
        )
    }

    @Test func testThatSleeps() {
        let good = "clock.sleep(1)\n//  x\n// sleep(1)\nlet x = \"\"\"\n  sleep(3)\n  \"\"\"\n"
        let bad = ["try await Task." + "sleep(for: .seconds(1))", "usl" + "eep(10)", "_ = sl" + "eep(1)"]
        #expect(reasons(NoSleepRule(), ["Tests/A/B.swift": good]) == [])
        #expect(
            reasons(NoSleepRule(), ["Tests/A/B.swift": good + bad.joined(separator: "\n")])
                == (7...9).map { "Tests/A/B.swift:\($0): sleeps; wait for the event" }
        )
    }

    @Test func functionThatIsCalledSleep() {
        let own = "private func sleep(_ seconds: Int) -> Action { .sleep }\nlet steps = [sleep(1)]"
        #expect(reasons(NoSleepRule(), ["Tests/A/B.swift": own]) == [])
        #expect(reasons(NoSleepRule(), ["Tests/A/B.swift": own + "\nTask.sl" + "eep(1)"]).count == 1)
    }

    @Test func pathOfOneMachine() {
        for place in MachinePathRule.places {
            #expect(reasons(MachinePathRule(), ["systemd/a.service": "ExecStart=\(place)x"]).count == 1)
        }
        #expect(reasons(MachinePathRule(), ["systemd/a.service": "ExecStart=/usr/bin/tributaryd"]) == [])
    }

    @Test func commentsAndStringsAreNoCode() {
        let text = #"let a = "b // \(c("d")) e" /* f /* g */ h */ + i // j"#
        let code = SwiftCode.blanked(text)
        #expect(code.count == text.count)
        #expect(code.split(separator: " ").joined(separator: " ") == #"let a = " c(" ") " + i"#)
    }

    @Test func regexLiteralsAreNoCode() {
        let text = #"""
            let quote = /code: "([a-z]+)/
            func first() {
                text.matches(of: /\{(\w+)/); let half = all / 2
            }
            let slash = #/"/{/#
            func second(_ b: Int) -> Int { (a) / b + c / d }
            """#
        let code = SwiftCode.blanked(text)
        #expect(code.utf8.count == text.utf8.count)
        #expect(
            code.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") } == [
                "let quote = / /", "func first() {", "text.matches(of: / /); let half = all / 2", "}",
                "let slash = #/ /#", "func second(_ b: Int) -> Int { (a) / b + c / d }",
            ]
        )
    }
}
