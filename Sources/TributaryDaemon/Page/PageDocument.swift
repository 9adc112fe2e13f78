import Foundation
import HTTPTypes
import Hummingbird
import TributaryAdmin
import TributaryChanges

// This folder contains the page for people. The document is a resource, page.html, which draws itself from embedded
// JSON. The same JSON is also served alone.

/// The policy allows only the document's own script and style: a text that got past the escaping does nothing.
struct PageDocument: Sendable {
    private let parts: [Substring]
    let policy: String

    static let standard = PageDocument(String(decoding: PackageResources.page_html, as: UTF8.self))

    private static let marks = ["<!--policy-->", "<!--words-->", "<!--data-->"]

    init(_ text: String) {
        let script = PageDocument.hash(of: text, between: "<script>", "</script>")
        let style = PageDocument.hash(of: text, between: "<style>", "</style>")
        policy =
            "default-src 'none'; script-src '\(script)'; style-src '\(style)'; img-src data:; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'"
        var (parts, rest) = ([Substring](), Substring(text))
        for mark in PageDocument.marks {
            guard let place = rest.firstRange(of: mark) else { continue }
            parts.append(rest[..<place.lowerBound])
            rest = rest[place.upperBound...]
        }
        self.parts = parts + [rest]
    }

    private static func hash(of text: String, between start: String, _ end: String) -> String {
        let content = text.components(separatedBy: start).last?.components(separatedBy: end)[0] ?? ""
        var hash = SHA256()
        hash.update(data: Array(content.utf8))
        return "sha256-" + Data(hash.finalize().bytes).base64EncodedString()
    }

    func text(with json: String, words: String = "") -> String {
        let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">"
        let filled = [policy, PageDocument.escaped(words), PageDocument.embedded(json)]
        return zip(parts, filled + [""]).map { $0 + $1 }.joined()
    }

    private static func escaped(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { EscapedText.escape(String($0)) }.joined(separator: "\n")
            .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// JSON that ends no element of HTML: a text in it cannot contain `</script>` or `<!--`.
    private static func embedded(_ json: String) -> String {
        json.replacing("<", with: "\\u003C").replacing(">", with: "\\u003E").replacing("&", with: "\\u0026")
            .replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
    }
}

extension Response {
    static func page(with data: PageData) throws -> Response {
        let document = PageDocument.standard
        let text = document.text(with: try data.json(), words: data.words)
        var response = bytes(Array(text.utf8), type: "text/html; charset=utf-8").guarded
        // A frame of another site could redirect clicks; a document cannot forbid frames itself.
        if let name = HTTPField.Name("Content-Security-Policy") {
            response.headers[name] = document.policy + "; frame-ancestors 'none'"
        }
        return response
    }

    /// Keeps browsers from guessing, storing and sharing the response.
    var guarded: Response {
        var response = self
        let headers = [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        for (name, value) in headers { if let name = HTTPField.Name(name) { response.headers[name] = value } }
        return response
    }
}
