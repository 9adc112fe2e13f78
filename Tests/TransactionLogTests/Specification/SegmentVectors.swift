import Foundation
import TestSupport
import Testing

/// The test vectors of the segment format, as `Vectors/index.json` lists them.
struct SegmentVectors: Decodable {
    struct Segment: Decodable, Sendable, CustomTestStringConvertible {
        var file: String
        /// The writer's folder and the file's name that the bytes are to be read under.
        var path: String
        var about: String
        var state: String
        var line: Int?
        var sha256: String
        /// The SHA-256 of the normal form, of a valid segment.
        var normal: String?
        /// The file with the content as JSON, of a valid segment.
        var parse: String?

        var testDescription: String { file }

        func bytes() throws -> [UInt8] { try SegmentVectors.bytes(of: file) }
    }

    /// What a store has found in a baseline.
    struct Comparison: Decodable, Sendable, CustomTestStringConvertible {
        var file: String
        /// The writer's folder and the file's name that the bytes are to be read under.
        var path: String
        var about: String
        var state: String
        var sha256: String
        var difference: String?

        var testDescription: String { file }
    }

    struct Name: Decodable, Sendable, CustomTestStringConvertible {
        var folder: String
        var name: String
        var kind: String

        var testDescription: String { "\(folder)/\(name)" }
    }

    var segments: [Segment]
    var comparisons: [Comparison]
    var names: [Name]

    static let folder = PackageFolder.path("Tests/TransactionLogTests/Vectors")
    static let checker = folder + "/check.py"

    init() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: SegmentVectors.folder + "/index.json"))
        self = try JSONDecoder().decode(SegmentVectors.self, from: data)
    }

    static func bytes(of file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))
    }
}
