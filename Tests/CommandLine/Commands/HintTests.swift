import Foundation
import TestSupport
import Testing

/// Every command in a message of the programs exists and can be pasted.
@Suite struct HintTests {
    private struct Tree: Decodable {
        struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?
        }

        var command: Command
    }

    @Test func commandsInTextsExistAndEndWithoutAFullStop() async throws {
        let folder = try TemporaryFolder("hints")
        let dump = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["--experimental-dump-help"],
            output: folder.path("tree")
        )
        #expect(await dump.ending() == .exited(0))
        let tree = try JSONDecoder().decode(
            Tree.self,
            from: Data(contentsOf: URL(fileURLWithPath: folder.path("tree")))
        )
        var commands: Set<String> = []
        for command in tree.command.subcommands ?? [] {
            let inner = command.subcommands ?? []
            if inner.isEmpty { commands.insert(command.commandName) }
            for sub in inner { commands.insert("\(command.commandName) \(sub.commandName)") }
        }
        #expect(commands.contains("segment retry"))
        let sources = PackageFolder.path + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
        var found = 0
        for file in files where file.hasSuffix(".swift") {
            for line in try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8).split(separator: "\n") {
                let text = line.trimmingCharacters(in: .whitespaces)
                guard !text.hasPrefix("//"), text.contains("\"") else { continue }
                for match in text.matches(of: #/tributaryctl ([a-z][a-z-]*)( [a-z][a-z-]*)?([^"]*)/#) {
                    found += 1
                    let pair = "\(match.1)\(match.2 ?? "")"
                    #expect(commands.contains(pair) || commands.contains(String(match.1)), "\(file): \(text)")
                    #expect(!match.3.hasSuffix("."), "\(file): \(text)")
                }
            }
        }
        #expect(found > 5)
    }
}
