import Foundation
import TestSupport
import Testing
import TransactionLog

/// The README's producer in Python writes a segment that the verifier accepts.
@Suite struct ProducerExampleTests {
    @Test(.enabled(if: Python() != nil, "python3 is not installed"))
    func writesAValidSegment() async throws {
        let folder = try TemporaryFolder("readme")
        try folder.write(try Readme.example("python"), to: "producer.py")
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: true)

        let python = try #require(Python())
        let result = try await python.run(folder.path("producer.py"), [folder.path("logs")])
        #expect(result.ending == .exited(0), "\(result.errors)")

        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path("logs"))
        let files = names.filter { $0.hasSuffix(".tlog") }
        try #require(files.count == 1)
        let name = try #require(SegmentName(path: files[0]))
        let segment = try LogFolder(path: folder.path("logs")).open(name)
        let verified = try SegmentVerifier().verify(segment, name: name)
        #expect(verified.end.transactions == 1)
        #expect(verified.end.changes == 1)
        #expect(!names.contains { $0.hasPrefix(".staging/") }, "nothing is left in the staging folder")
    }

    /// Ten lines or so: a promise of the README.
    @Test func isShort() throws {
        let lines = try Readme.example("python").split(separator: "\n")
        #expect(lines.count <= 12)
    }
}
