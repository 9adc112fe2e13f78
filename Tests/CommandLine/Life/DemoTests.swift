import Foundation
import TestSupport
import Testing

@Suite("The demo", .daemonTurns)
struct DemoTests {
    @Test("plays to its end, in plain ASCII, with equal digests, and leaves nothing behind", .timeLimit(.minutes(30)))
    func plays() async throws {
        let folder = try TemporaryFolder("demo")
        let output = folder.path("output")
        let scratch = folder.path("tmp")
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        let process = try ChildProcess(
            "/usr/bin/env",
            ["-i", "LANG=C", "TMPDIR=\(scratch)", BuildFolder.executable("tributaryd"), "--demo"],
            output: output,
            errors: folder.path("errors")
        )
        #expect(await process.ending() == .exited(0))
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
        let digests = text.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.count == 35 && $0.hasSuffix("...") }
        }
        #expect(digests.count == 2 && Set(digests).count == 1, "\(text)")
        #expect(text.contains("Coffee, large"), "\(text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty)
        #expect(try String(contentsOfFile: folder.path("errors"), encoding: .utf8).isEmpty)
    }
}
