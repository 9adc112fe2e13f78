import Foundation
import TestSupport
import Testing

/// The help of the programs, as `--experimental-dump-help` of the argument parser lists it.
@Suite struct HelpTests {
    struct Command: Decodable {
        struct Argument: Decodable {
            var abstract: String?
            var discussion: String?
        }

        var commandName: String
        var abstract: String?
        var discussion: String?
        var arguments: [Argument]?
        var subcommands: [Command]?

        /// This command and those below it, each with the words to type.
        func all(after words: [String] = []) -> [(words: [String], command: Command)] {
            let words = words + [commandName]
            return [(words, self)] + (subcommands ?? []).flatMap { $0.all(after: words) }
        }

        var texts: [String] {
            ([(abstract, discussion)] + (arguments ?? []).map { ($0.abstract, $0.discussion) })
                .flatMap { [$0.0, $0.1] }.compactMap(\.self)
        }
    }

    private struct Dump: Decodable { var command: Command }

    static func command(_ program: String, in folder: TemporaryFolder) async throws -> Command {
        let answer = try await Answer(of: ["--experimental-dump-help"], to: program, in: folder)
        try #require(answer.ending == .exited(0), "\(answer)")
        return try JSONDecoder().decode(Dump.self, from: Data(answer.output.utf8)).command
    }

    /// The argument parser wraps each line to the terminal's width: a line break within a paragraph would stay as a short line.
    @Test(arguments: ["tributaryctl", "tributaryd"])
    func aParagraphOfTheHelpIsOneLine(program: String) async throws {
        let commands = try await Self.command(program, in: try TemporaryFolder("help")).all()
        for (words, command) in commands where words.last != "help" {
            for text in command.texts {
                #expect(!text.contains(#/[^\n]\n[^\n]/#), "\(words.joined(separator: " ")): \(text)")
            }
        }
        #expect(program == "tributaryd" || commands.count > 30)
    }

    /// The manual lists each command with this sentence.
    @Test func eachCommandHasOneSentence() async throws {
        let commands = try await Self.command("tributaryctl", in: try TemporaryFolder("help")).all()
        for (words, command) in commands where words.last != "help" {
            let sentence = command.abstract ?? ""
            let isOne = sentence.contains(#/^[A-Z][^\n]*\.$/#) && !sentence.contains(". ")
            #expect(isOne, "\(words.joined(separator: " ")): '\(sentence)'")
        }
    }
}
