import Foundation
import TestSupport
import Testing

/// What the package has beside the programs: articles, and manual pages that are made of them.
@Suite struct PackageFilesTests {
    private func run(_ script: String, _ arguments: [String], in folder: TemporaryFolder) async throws {
        let answer = try await Answer(
            running: ["/usr/bin/env", "python3", PackageFolder.path("etc/debian/\(script)")] + arguments,
            in: folder,
            environment: ["SOURCE_DATE_EPOCH": "1772366709"]
        )
        try #require(answer.ending == .exited(0), "\(answer)")
    }

    /// The files of all catalogues by name.
    private func catalogues() throws -> Set<String> {
        let sources = FileManager.default.enumerator(atPath: PackageFolder.path("Sources"))
        let files = (sources?.compactMap { $0 as? String } ?? []).filter { $0.contains(".docc/") }
        return Set(files.map { ($0 as NSString).lastPathComponent })
    }

    @Test func theArticlesHaveEveryArticleAndFileThatTheyName() async throws {
        let folder = try TemporaryFolder("articles")
        try await run("collect-articles", [folder.path("articles")], in: folder)
        let collected = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path("articles")))
        let known = try catalogues()
        // The alerts and the schema of a line are named by articles that others lead to.
        #expect(collected.isSuperset(of: ["Watching.md", "Trust.md", "Producers.md", "YAMLModels.md"]))
        #expect(collected.contains("segment-line.schema.json"))
        for name in collected where name.hasSuffix(".md") {
            let text = try String(contentsOfFile: folder.path("articles/\(name)"), encoding: .utf8)
            #expect(!text.contains("<doc:") && !text.contains(".docc/"), "\(name) has links of the sources")
            #expect(!text.contains(#/[^\w\/]etc\/(?:monitoring|examples)/#), "\(name) has paths of the sources")
            let named = text.matches(of: #/[\w-]+(?:\.[\w-]+)*\.(?:md|json|png|svg)\b/#).map { String($0.0) }
            #expect(Set(named).intersection(known).subtracting(collected).isEmpty, "\(name)")
        }
    }

    /// No list in a script would forget the next article.
    @Test func thePackageTakesThem() throws {
        let script = try Article.text(of: "etc/build-package")
        #expect(script.contains("etc/debian/collect-articles \"$tree/articles\""))
        #expect(script.contains("tributaryd\" --openapi | python3"))
        #expect(script.contains(">\"$tree/articles/openapi.json\""))
        #expect(script.contains("share/tributary/monitoring\" etc/monitoring/*"))
        #expect(try Article.text(of: "etc/debian/tributary.docs") == "articles\n")
        #expect(try Article.text(of: "etc/debian/tributary.install").contains("share/* usr/share\n"))
    }

    /// The owner's licence has one place, which readers of the sources and of the package are told.
    @Test func theReadmeAndThePackageTellWhereTheLicenceWillBe() throws {
        let copyright = try Article.text(of: "etc/debian/copyright")
        let readme = try Article.text(of: "README.md")
        for text in [readme, copyright] {
            #expect(text.contains("No licence yet: the owner decides."))
            #expect(text.contains("etc/debian/copyright") && text.contains("/usr/share/doc/tributary/copyright"))
        }
        #expect(try Article.text(of: "etc/build-package").contains("etc/debian/{changelog,control,copyright,rules}"))
    }

    /// tributary-model(5) has every key of the article's tables, and its sample.
    @Test func thePageOfModelsIsTheArticle() async throws {
        let folder = try TemporaryFolder("manual")
        try await run("make-pages", ["--model", folder.path("")], in: folder)
        let page = try String(contentsOfFile: folder.path("pages/tributary-model.5"), encoding: .utf8)
        let article = try Article(path: "Sources/TributaryModel/TributaryModel.docc/YAMLModels.md")
        for row in article.rows() {
            #expect(page.contains("\n.It Cm \(row[0].replacing("`", with: ""))\n"), "\(row)")
        }
        for name in ["merge", "unique", "default", "renamed_from"] {
            #expect(page.contains("\n.It Cm \(name)"), "\(name)")
        }
        #expect(page.contains("\n.Ss Relationships\n") && page.contains("\n.Ss Where errors are shown\n"))
        #expect(!page.contains("`") && !page.contains("<doc:"))
        let sample = try #require(article.text.firstMatch(of: #/```yaml\n(?s:(.*?))```/#)).1
        #expect(page.contains("\n\(sample).Ed\n"))
    }

    @Test func thePageOfTheCommandListsEachWithItsSentenceAndHasExamples() async throws {
        let folder = try TemporaryFolder("manual")
        try await run(
            "make-pages",
            ["--commands", BuildFolder.executable("tributaryctl"), folder.path("")],
            in: folder
        )
        let page = try String(contentsOfFile: folder.path("pages/tributaryctl.commands"), encoding: .utf8)
        let commands = try await HelpTests.command("tributaryctl", in: folder).all()
        for (words, command) in commands where (command.subcommands ?? []).isEmpty && words.last != "help" {
            let name = words.dropFirst().joined(separator: " ")
            #expect(page.contains(".It Cm \(name)\n\(command.abstract ?? "-")\n"), "\(name)")
        }
        #expect(page.matches(of: #/\n\.Dl tributaryctl /#).count > 5)
    }
}
