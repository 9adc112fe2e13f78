import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// Every command in a message of the programs and in the articles for operators is one that the command takes.
@Suite struct HintTests {
    private static let writer = "5f0c0000-0000-4000-8000-00000000000a"
    private static let segment = "\(writer)/0000000000000001-0000000000000002.tlog"

    /// Whether the program takes a command, and ends by itself; no daemon answers it.
    private func isTaken(_ command: String) async throws -> Bool {
        let folder = try TemporaryFolder("hints")
        let nowhere = folder.path("nowhere")
        let answer = try await Answer(
            // A sample may be a relative path, at which the program may make a file.
            running: ["/bin/sh", "-c", "cd '\(folder.path)' && exec \(command)"],
            in: folder,
            environment: [
                "PATH": "\(BuildFolder.programs):/usr/bin:/bin", "TRIBUTARY_SOCKET": nowhere,
                "TRIBUTARY_STORE": nowhere,
            ]
        )
        guard case .exited(let status) = answer.ending else { return false }
        return status != 127 && !answer.errors.contains("Usage:")
    }

    /// Replaces what a text gets at run time by a sample.
    private func filled(_ text: String) -> String {
        var filled = ""
        var rest = text[...]
        while let start = rest.range(of: #"\("#) {
            filled += rest[..<start.lowerBound]
            var depth = 1
            var end = start.upperBound
            while end < rest.endIndex, depth > 0 {
                if rest[end] == "(" { depth += 1 }
                if rest[end] == ")" { depth -= 1 }
                end = rest.index(after: end)
            }
            filled += sample(for: String(rest[start.upperBound..<end]), after: filled)
            rest = rest[end...]
        }
        return filled + rest
    }

    private func sample(for expression: String, after text: String) -> String {
        if text.hasSuffix("baseline accept ") { return "\(Self.writer)/0000000000000002.baseline" }
        if expression.contains("path") || text.hasSuffix("explain ") { return Self.segment }
        if text.hasSuffix("evict ") || text.hasSuffix("abandon ") || text.hasSuffix("trust ") { return Self.writer }
        return text.hasSuffix("--state ") ? "held" : "7"
    }

    /// A caller who is not root types `sudo` before each command that takes root's rights, and root types none.
    @Test(
        arguments: [
            ("to start it: systemctl start a.service", "to start it: sudo systemctl start a.service"),
            ("sudo systemctl daemon-reload; sudo systemctl restart a", nil),
            ("sysctl fs.inotify.max_user_watches=9", "sudo sysctl fs.inotify.max_user_watches=9"),
            ("systemctl --user restart a; systemctl status b; tributaryctl resume", nil),
        ]
    )
    func aHintHasTheRightsThatItsCommandsTake(_ hint: String, _ expected: String?) {
        let ofUser = HintCommands.text(hint, isRoot: false)
        #expect(ofUser == expected ?? hint)
        #expect(HintCommands.text(ofUser, isRoot: false) == ofUser)
        #expect(!HintCommands.text(ofUser, isRoot: true).contains("sudo"))
    }

    @Test(
        arguments: [
            ("sudo -H -u USER a | sudo tee b", "sudo -H -u USER a | tee b"),
            (
                "Make it (sudo groupadd g), then: sudo chgrp g a && sudo chmod 640 a",
                "Make it (groupadd g), then: chgrp g a && chmod 640 a"
            ),
            ("one\nsudo two", "one\ntwo"),
            ("sudo rm -r 'a; sudo b'\\''s: sudo c'; sudo d", "rm -r 'a; sudo b'\\''s: sudo c'; d"),
        ]
    )
    func aHintForRootHasNoSudo(_ hint: String, _ expected: String) {
        #expect(HintCommands.text(hint, isRoot: true) == expected)
    }

    @Test(
        arguments: [
            "sudo -u x systemctl start a; sudo -u x systemctl --user restart a", "rm -r '/srv/a; systemctl start b'",
            "the group 'sudo systemctl start x' and pseudo sudo /srv/sudo systemctl stop x",
        ],
        [false, true]
    )
    func aNameOrACommandOfAnotherUserStays(_ hint: String, isRoot: Bool) {
        #expect(HintCommands.text(hint, isRoot: isRoot) == hint)
    }

    @Test func commandsInTextsAreTakenAndEndWithoutAFullStop() async throws {
        let sources = PackageFolder.path + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
        var found: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            for line in try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8).split(separator: "\n") {
                let text = line.trimmingCharacters(in: .whitespaces)
                guard !text.hasPrefix("//"), text.contains("\"") else { continue }
                // A command that continues in the next line could not be found.
                #expect(!text.contains("tributaryctl \""), "\(file): \(text)")
                for match in text.matches(of: #/tributaryctl [a-z][a-z-]*[^";]*/#) {
                    let command = filled(String(match.0)).prefix { !";,)".contains($0) }
                    // A sentence about a command, as in the help, is none to be typed.
                    if ["tributaryctl restore was interrupted", "tributaryctl restore puts it into place."].contains(
                        String(command)
                    ) {
                        continue
                    }
                    #expect(!command.hasSuffix("."), "\(file): \(text)")
                    guard found.insert(String(command)).inserted else { continue }
                    #expect(try await isTaken(String(command)), "\(file): \(command)")
                }
            }
        }
        #expect(found.count > 15)
    }

    /// The socket of this machine is none of another one.
    ///
    @Test(
        arguments: [
            "One of the two is wrong; on the baseline's machine, to compare it with the log folder too",
            "Other machines hold them until their time has come. To see how to take them now, there",
            "If that does not help, and this store is right, on another machine",
            "On a machine of that version, also on the machine of writer \(writer), which has made it",
            "On the machine that wrote them", "if they are lost; or on the machine that wrote them",
            "Then write them into a baseline first, on a trusted machine that has them",
            "Upgrade this machine to that model; or on a machine with the model of this one",
            "On a machine with the version of the model of this one", "on a machine that has applied it",
            "On the writer's machine, to see the key",
            "If transactions are missing, on the machine that has written them",
            "raise logs.max_bytes on each machine, and there", "if another machine has applied them, there",
        ]
    ) func aCommandForAnotherMachineGetsNoOptions(clause: String) {
        let text = HintCommands.text("\(clause): tributaryctl status; to go on: tributaryctl resume", adding: "-x ")
        #expect(text == "\(clause): tributaryctl status; to go on: tributaryctl -x resume")
    }

    @Test(
        arguments: [
            "set the machine's clock right, or", "To try it again: tributaryctl -x compact; if its machine is right",
            "One of the two stores is wrong; on both machines", "on this machine and on the baseline's",
            "If you know that the baseline's machine is right",
            "Check the machine and its replicator. To see what this store knows of it",
            "Leave /.staging out on each machine; with Syncthing", "Remove the file there; otherwise",
        ]
    ) func aCommandForThisMachineGetsTheOptions(clause: String) {
        let text = HintCommands.text("\(clause.replacing(" -x", with: "")): tributaryctl status", adding: "-x ")
        #expect(text == "\(clause): tributaryctl -x status")
    }

    @Test func eachClauseOnAnotherMachineIsOneForAnotherMachine() throws {
        let sources = PackageFolder.path + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
        var found: [String] = []
        for file in files where file.hasSuffix(".swift") {
            let lines = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
            let text = lines.replacing(#/"\s*\+\s*"/#, with: "")
            for match in text.matches(of: #/\b([Oo]n [^.;:"\n]*machine[^.;:"\n]*): tributaryctl/#) {
                found.append(String(match.1))
            }
        }
        #expect(found.count > 5)
        let options = found.filter { HintCommands.text("\($0): tributaryctl status", adding: "-x ").contains("-x") }
        #expect(options.allSatisfy { $0.contains(#/^on (?:both machines|each machine|this machine)/#) }, "\(options)")
    }

    @Test func commandsInTheExamplesOfTheManualAreTaken() async throws {
        let samples = ["WRITER": Self.writer, "ID": Self.writer]
        let lines = try Article.text(of: "etc/debian/tributaryctl.examples").split(separator: "\n")
        let commands = lines.filter { $0.hasPrefix(".Dl ") }.map { $0.dropFirst(4) }
        for command in commands {
            let typed = samples.reduce(String(command)) { $0.replacing($1.key, with: $1.value) }
            #expect(try await isTaken(typed), "\(command)")
        }
        #expect(commands.count > 5)
    }

    /// The blocks of commands are complete, up to the words in capitals.
    @Test(arguments: ["Stories", "LostFiles", "NewMachine", "Backups", "Compaction", "Operating", "Watching"])
    func commandsInArticlesAreTaken(name: String) async throws {
        let baseline = "\(Self.writer)/0000000000000002.baseline"
        let samples = [
            "FORMER": Self.writer, "WRITER": Self.writer, "SEGMENT": Self.segment, "BASELINE": baseline,
            "$NUMBER": "7",
        ]
        let blocks = try Article(name).text.components(separatedBy: "```sh\n").dropFirst()
        var found = 0
        for line in blocks.flatMap({ $0.components(separatedBy: "```")[0].split(separator: "\n") }) {
            guard let match = line.firstMatch(of: #/^(?:sudo )?(tributaryctl [^#]+)/#) else { continue }
            found += 1
            let command = samples.reduce(String(match.1)) { $0.replacing($1.key, with: $1.value) }
            #expect(try await isTaken(command), "\(name): \(line)")
        }
        #expect(found > 3)
    }
}
