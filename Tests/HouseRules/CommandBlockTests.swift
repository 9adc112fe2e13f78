import Testing

/// The rule for blocks of commands finds each fault in made-up articles.
@Suite struct CommandBlockTests {
    private static let list = "Sources/Tributary/Tributary.docc/CommandBlocks.md"
    private static let article = "Sources/Tributary/Tributary.docc/Fleet.md"
    private static let good = [
        "README.md": "<!-- command: build -->\n```sh\netc/build-package\n```\n",
        article:
            "<!-- command: save -->\n```sh\ntributaryctl sync\n```\n\n<!-- test: read -->\n```sh\ntributaryctl status\n```\n",
        list: """
        | article | block | what types it |
        |---|---|---|
        | README | `command: build` | `.ci/run` |
        | Fleet | `command: save` | `Tests/Fleet/walk` |
        | Fleet | `test: read` | `Tests/ReadTests.swift`, with daemons of the test |
        """,
        ".ci/run": "stage x run_readme_command build\n",
        "Tests/Fleet/walk": "walk.block(north, \"Fleet\", \"save\")\n",
        "Tests/ReadTests.swift": "StoryPage(\"Fleet\").commands(\"read\")\n",
    ]

    private func reasons(_ changes: (path: String, from: String, to: String)...) -> [String] {
        var texts = Self.good
        for change in changes { texts[change.path] = texts[change.path]?.replacing(change.from, with: change.to) }
        return CommandBlockRule().violations(in: SourceTree(texts)).map(\.description)
    }

    @Test func theGoodSamplePasses() {
        #expect(reasons() == [])
    }

    @Test func aBlockWithoutANameOrInAnotherForm() {
        let nameless = "\(Self.article):2: has commands without a name: <!-- command: NAME --> in the line above"
        #expect(reasons((Self.article, "<!-- command: save -->", "Then:")).contains(nameless))
        #expect(
            reasons((Self.article, "```sh\ntributaryctl sync", "```\ntributaryctl sync"))
                .contains("\(Self.article):2: has commands in another language than sh")
        )
        #expect(
            reasons((Self.article, "```sh\ntributaryctl sync", "```console\n$ tributaryctl sync"))
                .contains("\(Self.article):2: has commands in another language than sh")
        )
        #expect(
            reasons((Self.article, "tributaryctl sync", "$ tributaryctl sync"))
                == ["\(Self.article):2: has commands behind a prompt"]
        )
        #expect(
            reasons((Self.article, "test: read", "command: save")).contains(
                "\(Self.article):7: has 'command: save' twice"
            )
        )
    }

    @Test func theListLacksABlockOrHasOneTooMany() {
        #expect(
            reasons((Self.list, "| Fleet | `command: save` | `Tests/Fleet/walk` |\n", ""))
                == ["\(Self.article):2: has 'command: save', which CommandBlocks.md does not list"]
        )
        #expect(
            reasons((Self.list, "| Fleet | `test: read`", "| Fleet | `test: gone`")).contains(
                "\(Self.list):5: lists 'test: gone' of Fleet, which is not there"
            )
        )
    }

    @Test(
        arguments: [
            ("`Tests/Fleet/walk`", "`Tests/Fleet/other`", "names Tests/Fleet/other, which is not there"),
            ("`Tests/Fleet/walk`", "`.ci/run`", "names .ci/run, which does not type 'command: save' of Fleet"),
            ("`Tests/Fleet/walk`", "the walk", "names nothing that types 'command: save'"),
            ("`Tests/Fleet/walk`", "not yet: hard", "has no reason why 'command: save' is not typed"),
            ("`Tests/Fleet/walk`", "as in README", "'command: save' differs from the block of README.md"),
        ]
    ) func nothingTypesABlock(from: String, to: String, reason: String) {
        #expect(reasons((Self.list, from, to)) == ["\(Self.list):4: \(reason)"])
    }

    @Test func aTestWithItsOwnDaemonsIsNoMachine() {
        #expect(
            reasons((Self.list, ", with daemons of the test", "")) == [
                "\(Self.list):5: 'test: read' is typed in no machine"
            ]
        )
        #expect(reasons((Self.list, "`Tests/Fleet/walk`", "never: it takes hours")) == [])
    }
}
