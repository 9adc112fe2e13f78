import TestSupport
import Testing
import TributaryAdmin

@testable import TributaryDaemon

/// Mutilated configuration files and queries are read or refused; a trap would end the test.
@Suite struct ConfigurationFuzzTests {
    private static let text = """
        name: "till-12"
        merge: &m {debounce: 1s, ceiling: 5s, saves: true}
        export: {enabled: true, debounce: 1s, segment_bytes: 1MiB, acknowledge: 1h}
        watch: {rescan: auto, incomplete_grace: 60s}
        import: {slice_changes: 20000, memory: 64MiB}
        history:
          keep: 30d
        admin: {writers: null, listen: "127.0.0.1:8080"}
        log: {level: info}
        """
    private static let pieces = [
        "*m", "&m ", "? ", ": ", "[", "]", "{", "}", "- ", "\n", "\t", "|", ">", "'", "\"", "!!binary ", "<<: *m", "#",
        "99999999999999999999", "-1", "1e400", "\u{0}", "\u{FEFF}", "\u{2028}", "é", "%", "@", "null", "~", "...",
        "---",
    ]

    @Test func mutilatedFilesAreReadOrRefused() throws {
        var generator = SeededGenerator.printingSeed()
        let folder = try TemporaryFolder.inMemory("configuration")
        var (accepted, refused) = (0, 0)
        for _ in LongProofs.rounds(2_000) {
            var characters = Array(Self.text)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let start = Int.random(in: 0..<characters.count, using: &generator)
                let end = min(characters.count, start + Int.random(in: 0...12, using: &generator))
                let piece = Self.pieces.randomElement(using: &generator) ?? ""
                characters.replaceSubrange(start..<end, with: Bool.random(using: &generator) ? Array(piece) : [])
            }
            try folder.write(String(characters), to: "tributary.yaml")
            let sources = ConfigurationSources(
                file: folder.path("tributary.yaml"),
                environment: [:],
                hostName: "host",
                workingDirectory: "/"
            )
            do {
                _ = try Configuration.load(sources)
                accepted += 1
            } catch {
                #expect(!error.reason.isEmpty)
                refused += 1
            }
        }
        #expect(accepted > 0 && refused > 0, "\(accepted) accepted, \(refused) refused")
    }

    @Test func mutilatedQueriesAreReadOrRefused() {
        var generator = SeededGenerator.printingSeed()
        let pieces = [
            "limit", "after", "=", "&", "%", "%4", "%zz", "%00", "%F0%9F", "+", "1", "-", "9223372036854775808", "é",
        ]
        var (accepted, refused) = (0, 0)
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            do {
                let query = try QueryParameters(text, known: ["limit", "after"])
                let limit = try query.limit()
                #expect((1...1_000).contains(limit), "\(text)")
                accepted += 1
            } catch {
                #expect(error.status == 400, "\(text): \(error)")
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 100, "\(accepted) accepted, \(refused) refused")
    }
}
