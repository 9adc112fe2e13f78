import Foundation
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryDaemon

/// The document of the page keeps texts from being markup, and its policy names its own script and style alone.
@Suite struct PageDocumentTests {
    @Test(arguments: ["</script><script>alert(1)</script>", "<!--<script>", "\u{2028}\u{2029}&lt;", "]]>", "\\u003c"])
    func noTextOfTheDataIsMarkup(_ name: String) throws {
        let json = "{\"name\":\(JSONValue.string(name).text)}"
        let text = PageDocument.standard.text(with: json)
        let parts = text.components(separatedBy: "<script id=\"data\" type=\"application/json\">")
        try #require(parts.count == 2)
        let data = parts[1].components(separatedBy: "</script>")[0]
        #expect(!data.contains("<") && !data.contains(">") && !data.contains("&"))
        let read = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: String]
        #expect(read?["name"] == name)
        // The document has the elements of the resource, and no others.
        #expect(text.components(separatedBy: "<script").count == 3)
    }

    /// The words are for browsers that run no script: they are in the document as a text, before the data.
    @Test func theWordsAreThereWithoutAScript() throws {
        let hostile = "till <b> & \u{202E}7\n</pre><script>alert(1)</script>"
        let text = PageDocument.standard.text(with: "{}", words: hostile)
        let words = try #require(text.firstMatch(of: /<noscript>[\s\S]*?<pre>([\s\S]*?)<\/pre>/)?.1)
        let shown = "till &lt;b&gt; &amp; \\u{202E}7\n&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
        #expect(words == shown, "\(words)")
        #expect(text.components(separatedBy: "<script").count == 3)
        #expect(!text.contains("<!--"), "a mark is left")
    }

    @Test func thePolicyNamesTheHashesOfTheResource() throws {
        let resource = try Article.text(of: "Sources/TributaryDaemon/Page/page.html")
        for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
            let content = try #require(
                resource.firstMatch(of: try Regex("<\(element)>([\\s\\S]*?)</\(element)>"))?[1].substring
            )
            var hash = SHA256()
            hash.update(data: Array(content.utf8))
            let text = Data(hash.finalize().bytes).base64EncodedString()
            #expect(PageDocument.standard.policy.contains("\(directive) 'sha256-\(text)';"), "\(element)")
        }
        #expect(PageDocument.standard.policy.hasPrefix("default-src 'none';"))
        #expect(!PageDocument.standard.policy.contains("unsafe"))
        let text = PageDocument.standard.text(with: "{}")
        #expect(text.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"))
    }

    /// Neither markup from a text nor anything from elsewhere: what the policy forbids is not tried either.
    @Test func theResourceLoadsNothingAndMakesNoMarkupOfTexts() throws {
        let resource = try Article.text(of: "Sources/TributaryDaemon/Page/page.html")
        for word in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "src=", "@import", "url(",
        ] {
            #expect(!resource.contains(word), "\(word)")
        }
        let addresses = resource.matches(of: /https?:\/\/[^"' ]+/).map { String($0.0) }
        #expect(addresses == ["http://www.w3.org/2000/svg"])
    }
}
