import Foundation

/// The examples of README.md, so that tests run the printed code.
package enum Readme {
    package struct NoSuchExample: Error {
        package var name: String
    }

    package static func example(_ name: String) throws -> String {
        let path = PackageFolder.path("README.md")
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        guard let marker = lines.firstIndex(of: "<!-- example: \(name) -->"), lines[marker + 1].hasPrefix("```") else {
            throw NoSuchExample(name: name)
        }
        return lines[(marker + 2)...].prefix { $0 != "```" }.map { $0 + "\n" }.joined()
    }
}
