import Foundation
import TestSupport
import Testing

/// The articles lead to what there is, and the first page leads to all of them.
@Suite struct ArticleLinkTests {
    private static func articles() throws -> [String] {
        let folder = PackageFolder.path("Sources/Tributary/Tributary.docc")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        return files.map { ($0 as NSString).deletingPathExtension }.sorted()
    }

    /// The articles that a text leads to.
    private static func articles(in text: String) -> Set<String> {
        Set(text.matches(of: /<doc:(\w+)>/).map { String($0.1) })
    }

    @Test func theFirstPageListsEveryArticle() throws {
        let listed = Self.articles(in: try Article("Tributary").text)
        #expect(listed == Set(try Self.articles()).subtracting(["Tributary"]))
    }

    @Test func everyLinkLeadsToAnArticle() throws {
        let articles = Set(try Self.articles())
        for name in articles {
            let missing = Self.articles(in: try Article(name).text).subtracting(articles)
            #expect(missing.isEmpty, "\(name)")
        }
    }

    @Test func everySymbolExists() throws {
        let members = try PublicMembers.byType()
        for name in try Self.articles() {
            for link in try Article(name).text.matches(of: /``([A-Z]\w*)(?:\/(\w+))?[^`]*``/) {
                let (type, member) = (String(link.1), link.2.map(String.init))
                if type == "Tributary" { continue }
                let known = members[type]
                #expect(known != nil, "\(name) links \(type)")
                if let member { #expect(known?.contains(member) != false, "\(name) links \(type)/\(member)") }
            }
        }
    }
}
