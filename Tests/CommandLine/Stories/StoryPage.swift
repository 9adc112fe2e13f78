import Foundation
import TestSupport
import Testing

/// The commands of an article, which tests run, and the texts in it, which tests compare with those of the programs.
///
/// A block of commands follows `<!-- test: NAME -->`, the text of a status `<!-- status: NAME -->`, and other output
/// `<!-- output: NAME -->`.
struct StoryPage {
    private let article: Article

    init(_ name: String) throws { article = try Article(name) }

    static func stories() throws -> StoryPage { try StoryPage("Stories") }

    var names: [String] {
        article.text.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /<!-- ((?:test|status|output): [a-z]+) -->/).map { String($0.1) }
        }
    }

    func commands(_ name: String) throws -> [String] { try lines("test: \(name)") }

    /// The lines of a block with the values of its words in capitals.
    func lines(_ name: String, with values: [String: String] = [:]) throws -> [String] {
        let block = try #require(article.block(after: "<!-- \(name) -->"), "the article has no block \(name)")
        return block.split(separator: "\n").map { StoryPage.fill(String($0), with: values) }
    }

    static func fill(_ line: String, with values: [String: String]) -> String {
        values.reduce(line) { $0.replacing($1.key, with: $1.value) }
    }

    /// Whether a text has all lines in this order, in which `…` stands for any text.
    static func matches(_ text: String, _ lines: [String]) -> Bool {
        var rest = text.split(separator: "\n")[...]
        for line in lines {
            guard let found = rest.firstIndex(where: { isEqual(String($0), to: line) }) else { return false }
            rest = rest[rest.index(after: found)...]
        }
        return true
    }

    private static func isEqual(_ text: String, to pattern: String) -> Bool {
        let parts = pattern.components(separatedBy: "…")
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return text == pattern }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
