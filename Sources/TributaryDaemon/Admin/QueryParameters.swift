import Foundation
import TributaryAdmin

/// The decoded parameters of a query; a repeated parameter is refused.
struct QueryParameters: Sendable {
    private var values: [String: String] = [:]

    static let largestLimit = 1_000
    static let usualLimit = 100
    /// The length in bytes, about, after which a list ends before its limit; one item is always there.
    static let byteLimit = 4 << 20

    init(_ text: String?, known: Set<String>) throws(ProblemDocument) {
        for pair in (text ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = QueryParameters.decode(parts[0]),
                let value = parts.count > 1 ? QueryParameters.decode(parts[1]) : ""
            else { throw ProblemDocument(.badRequest, detail: "the query '\(pair)' is not validly encoded") }
            guard known.contains(name) else {
                let list = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
                throw ProblemDocument(
                    .unknownParameter,
                    detail: "the query parameter '\(name)' is not known; this path takes \(list)"
                )
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw ProblemDocument(.badRequest, detail: "the query parameter '\(name)' occurs twice")
            }
        }
    }

    subscript(name: String) -> String? { values[name] }

    func flag(_ name: String) throws(ProblemDocument) -> Bool {
        switch values[name] {
        case nil, "false": return false
        case "true", "": return true
        case let other?:
            throw ProblemDocument(.badRequest, detail: "'\(name)' must be true or false, not '\(other)'")
        }
    }

    /// Returns `limit`, from 1 to 1,000.
    func limit(usual: Int = usualLimit) throws(ProblemDocument) -> Int {
        guard let text = values["limit"] else { return usual }
        guard let limit = Int(text), (1...QueryParameters.largestLimit).contains(limit) else {
            throw ProblemDocument(.badRequest, detail: "'limit' must be from 1 to 1000, not '\(text)'")
        }
        return limit
    }

    /// Decodes the encoding of forms, in which `+` is a space.
    private static func decode(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}
