import Foundation
import TestSupport
import Testing

/// The articles lead to what there is, and the first page of each catalogue, and of all, leads to all of them.
@Suite struct ArticleLinkTests {
    private static let contents = "Sources/Tributary/Tributary.docc/Contents.md"

    /// The articles of all catalogues by path.
    private static func articles() throws -> [String] {
        let sources = FileManager.default.enumerator(atPath: PackageFolder.path("Sources"))
        let files = sources?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.map { "Sources/" + $0 }.sorted()
    }

    private static func catalogue(of path: String) -> String { (path as NSString).deletingLastPathComponent }

    private static func name(of path: String) -> String {
        ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    }

    /// The articles that a text leads to.
    private static func articles(in text: String) -> Set<String> {
        Set(text.matches(of: /<doc:(\w+)(?:#[^>]*)?>/).map { String($0.1) })
    }

    /// The texts in backticks and the links that begin with a folder of the package.
    private static func paths(in text: String) -> [String] {
        let linked = text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
        let words = text.split(separator: "`").map(String.init).filter { !$0.contains { $0.isWhitespace } }
        return (linked + words).filter {
            $0.hasPrefix("Sources/") || $0.hasPrefix("Tests/") || $0.hasPrefix(".github/")
        }
    }

    @Test func theFirstPageOfACatalogueListsItsArticles() throws {
        let articles = try Self.articles()
        var catalogues = 0
        for path in articles {
            let module = Self.name(of: Self.catalogue(of: path))
            guard Self.name(of: path) == module, articles.filter({ $0.hasPrefix(Self.catalogue(of: path)) }).count > 1
            else { continue }
            catalogues += 1
            let others = articles.filter { Self.catalogue(of: $0) == Self.catalogue(of: path) && $0 != path }
            #expect(Self.articles(in: try Article(path: path).text) == Set(others.map(Self.name)), "\(path)")
        }
        #expect(catalogues >= 5, "\(catalogues) catalogues have a first page")
    }

    @Test func theContentsListEveryArticle() throws {
        let listed = Self.paths(in: try Article(path: Self.contents).text)
        #expect(listed.sorted() == (try Self.articles() + [".github/CONTRIBUTING.md"]).sorted())
    }

    @Test func theReadmeLeadsToTheContents() throws {
        #expect(try Article(path: "README.md").text.contains("](\(Self.contents))"))
    }

    @Test func everyLinkLeadsToAnArticle() throws {
        let articles = try Self.articles()
        for path in articles {
            let known = articles.filter { Self.catalogue(of: $0) == Self.catalogue(of: path) }.map(Self.name)
            let missing = Self.articles(in: try Article(path: path).text).subtracting(known)
            #expect(missing.isEmpty, "\(path)")
        }
        #expect(articles.count >= 30)
    }

    @Test func everyFileThatIsNamedIsThere() throws {
        for path in try Self.articles() + ["README.md", ".github/CONTRIBUTING.md"] {
            let missing = Self.paths(in: try Article(path: path).text).filter { name in
                !FileManager.default.fileExists(atPath: PackageFolder.path(name))
            }
            #expect(missing == [], "\(path)")
        }
    }

    @Test func everySymbolExists() throws {
        let members = try PublicMembers.byType()
        var links = 0
        for path in try Self.articles() {
            for link in try Article(path: path).text.matches(of: /``([A-Z]\w*)(?:\/(\w+))?[^`]*``/) {
                let (type, member) = (String(link.1), link.2.map(String.init))
                if type == Self.name(of: path) { continue }
                links += 1
                let known = members[type]
                #expect(known != nil, "\(path) links \(type)")
                if let member { #expect(known?.contains(member) != false, "\(path) links \(type)/\(member)") }
            }
        }
        #expect(links >= 100, "\(links) links to symbols")
    }
}
