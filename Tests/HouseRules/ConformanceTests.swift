import Foundation
import TestSupport
import Testing

/// The index of what is promised names suites that exist and that assert something.
@Suite struct ConformanceTests {
    /// The texts of all suites by the name of their file, without its ending.
    private static func suites() throws -> [String: String] {
        let folder = PackageFolder.path("Tests")
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let suites = files.filter { $0.hasSuffix("Tests.swift") }
        // Some names are used by two modules: the index means both.
        var texts: [String: String] = [:]
        for file in suites {
            let name = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
            texts[name, default: ""] += try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        }
        return texts
    }

    private static func assertions(in text: String) -> Int {
        text.matches(of: /#(expect|require)\(/).count
    }

    private static func named(in row: [String]) -> [String] {
        row[2].split(separator: ", ").compactMap { Article.code(String($0)) }
    }

    @Test func eachFeatureIsProvedBySuitesThatExist() throws {
        let suites = try Self.suites()
        let rows = try Article("Conformance").rows(under: "The table")
        #expect(rows.count >= 25)
        for row in rows {
            let names = Self.named(in: row)
            #expect(names.count == row[2].split(separator: ",").count, "\(row[0]): suites are separated by commas")
            #expect(!names.isEmpty, "\(row[0])")
            for name in names {
                let text = try #require(suites[name], "\(row[0]) names \(name)")
                #expect(text.contains("@Test"), "\(name) has tests")
            }
            let count = names.compactMap { suites[$0] }.map(Self.assertions(in:)).reduce(0, +)
            #expect(count >= 3, "\(row[0]) is asserted \(count) times")
        }
    }

    @Test func theSuitesAssertEnough() throws {
        let rows = try Article("Conformance").rows(under: "The table")
        let suites = try Self.suites()
        let names = Set(rows.flatMap(Self.named(in:)))
        let count = names.compactMap { suites[$0] }.map(Self.assertions(in:)).reduce(0, +)
        #expect(count >= 300)
        print("↳ \(names.count) suites assert \(count) times")
    }
}
