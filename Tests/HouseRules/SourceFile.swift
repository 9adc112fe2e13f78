import Foundation

struct SourceFile: Sendable {
    let path: String
    let text: String
    let lines: [String]
    /// The lines with comments and string contents blanked out; the same as `lines` for anything but Swift.
    let codeLines: [String]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.components(separatedBy: "\n")
        codeLines = path.hasSuffix(".swift") ? SwiftCode.blanked(text).components(separatedBy: "\n") : lines
    }

    var name: String { path.components(separatedBy: "/").last ?? path }
    var isSwift: Bool { path.hasSuffix(".swift") }
    var isTest: Bool { path.hasPrefix("Tests/") }
    /// Fixtures are data: they are meant to break rules.
    var isFixture: Bool { path.contains("/Misuse/") || path.contains("/Fixtures/") }

    /// A violation for each line of `lines` that `isBad` gives a reason for.
    func violations(in lines: [String], _ isBad: (String) -> String?) -> [Violation] {
        lines.enumerated().compactMap { index, line in
            isBad(line).map { Violation(path: path, line: index + 1, reason: $0) }
        }
    }
}

extension String {
    /// Whether a text is in this one, by its bytes: in a debug build `contains` takes seconds for all lines.
    func has(_ word: String) -> Bool { withCString { strstr($0, word) != nil } }
}
