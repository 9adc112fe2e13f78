import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// Root works in a folder while its owner puts links, other files and other folders in the place of what root works with.
///
/// The attacker is another user if the test runs as root; otherwise the commands still must write nothing elsewhere.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct AttackedFolderTests {
    private static let attacker: uid_t = 12_345

    /// The folder of the attacker, and a folder of the caller, into which nobody else may write.
    private struct Place {
        let folder: TemporaryFolder
        let shared: String
        let victim: String
        private let content = "root:x:0:0::/root:/bin/sh\n"

        init() throws {
            folder = try TemporaryFolder("attack")
            (shared, victim) = (folder.path("shared"), folder.path("private/passwd"))
            try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
            try folder.write(content, to: "private/passwd")
            #expect(chmod(folder.path, 0o755) == 0 && chmod(victim, 0o600) == 0)
        }

        func giveAway() throws {
            guard geteuid() == 0 else { return }
            for name in try [""] + FileManager.default.subpathsOfDirectory(atPath: shared).map({ "/" + $0 }) {
                #expect(lchown(shared + name, AttackedFolderTests.attacker, AttackedFolderTests.attacker) == 0)
            }
        }

        /// Repeats shell commands in the attacker's folder until the test ends them.
        func attack(_ commands: String, _ arguments: [String]) throws -> ChildProcess {
            let loop = ["/bin/sh", "-c", "cd \"$0\" || exit 1; while :; do \(commands); done", shared] + arguments
            guard geteuid() == 0 else { return try ChildProcess(loop[0], Array(loop.dropFirst())) }
            let user = AttackedFolderTests.attacker
            return try ChildProcess(
                "/usr/bin/setpriv",
                ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + loop
            )
        }

        /// The private file is as it was, nothing lies beside it, and nothing in the other folder has its text.
        func expectNoHarm(_ answer: Answer) throws {
            var status = stat()
            #expect(lstat(victim, &status) == 0 && status.st_uid == geteuid(), "\(answer)")
            #expect(status.st_mode == S_IFREG | 0o600 && status.st_nlink == 1, "\(answer)")
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == content, "\(answer)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("private")) == ["passwd"])
            // The attacker may remove a folder while it is listed.
            var names: [String]?
            while names == nil { names = try? FileManager.default.subpathsOfDirectory(atPath: shared) }
            for name in names ?? [] {
                let path = "\(shared)/\(name)"
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                let text = FileManager.default.contents(atPath: path) ?? Data()
                #expect(text.range(of: Data(content.utf8)) == nil, "\(name): \(answer)")
            }
        }
    }

    /// Verified files are swapped for links while later ones are verified, and the writer's folder for a link to another.
    @Test func signingChangesNothingElsewhere() async throws {
        let place = try Place()
        let writer = try #require(UniqueID("5f0c0000-0000-7000-8000-000000000001"))
        let files = try (1...3).map { number in
            let begin = #"{"transaction":\#(number),"clock":"000000000000000\#(number)","changes":0}"#
            let text = SegmentText(writer: writer, first: UInt64(number), last: UInt64(number), [begin])
            try place.folder.write(String(decoding: text.bytes(), as: UTF8.self), to: "shared/\(text.name.path)")
            return "\(place.shared)/\(text.name.path)"
        }
        let key = SigningKey.generate()
        try place.folder.write(String(decoding: key.pem, as: UTF8.self), to: "gate.key")
        #expect(chmod(place.folder.path("gate.key"), 0o600) == 0)
        try place.giveAway()
        let name = (files[0] as NSString).lastPathComponent
        let swap = """
            ln -s "$2" .x; mv -T .x "$1/$3"; mv "$1" .y; ln -s "${2%/*}" "$1"
            rm -f "$1"; mv -T .y "$1"; cp "$1/$4" .x; mv -T .x "$1/$3"
            """
        let last = (files[2] as NSString).lastPathComponent
        let attack = try place.attack(swap, ["\(writer)", place.victim, name, last])
        for _ in 0..<40 {
            let answer = try await Answer(
                of: ["segment", "sign", "--key", place.folder.path("gate.key")] + files,
                in: place.folder
            )
            try place.expectNoHarm(answer)
        }
        attack.send(SIGKILL)
        _ = await attack.ending()
    }

    /// A link to a segment elsewhere is not followed, although it is a valid segment.
    @Test func aLinkIsNotSigned() async throws {
        let place = try Place()
        let writer = try #require(UniqueID("5f0c0000-0000-7000-8000-000000000001"))
        let text = SegmentText(writer: writer, last: 1, [#"{"transaction":1,"clock":"0000000000000001","changes":0}"#])
        let bytes = String(decoding: text.bytes(), as: UTF8.self)
        try place.folder.write(bytes, to: "elsewhere/\(text.name.path)")
        let link = "\(place.shared)/\(text.name.fileName)"
        #expect(symlink(place.folder.path("elsewhere/\(text.name.path)"), link) == 0)
        try place.folder.write(String(decoding: SigningKey.generate().pem, as: UTF8.self), to: "gate.key")
        #expect(chmod(place.folder.path("gate.key"), 0o600) == 0)
        let answer = try await Answer(
            of: ["segment", "sign", "--key", place.folder.path("gate.key"), link],
            in: place.folder
        )
        #expect(answer.ending == .exited(65) && answer.errors.contains("a symbolic link"), "\(answer)")
        #expect(try String(contentsOfFile: place.folder.path("elsewhere/\(text.name.path)"), encoding: .utf8) == bytes)
    }

    /// The store's file, its lock, its log and its marker are swapped for links to a file of root.
    @Test func restoringChangesNothingElsewhere() async throws {
        let daemon = try await RunningDaemon.started()
        let backup = daemon.folder.path("backup.sqlite")
        try await daemon.success(of: ["backup", backup])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let place = try Place()
        let store = "\(place.shared)/store.sqlite"
        try place.giveAway()
        let swap = """
            for f in store.sqlite store.sqlite.lock store.sqlite-wal store.sqlite.restored; do
            ln -s "$1" .x; mv -T .x "$f"; ln "$1" .w 2>/dev/null && mv -T .w "$f"; rm -f "$f"; echo x > .x; mv -T .x "$f"
            done; rm -f store.sqlite*
            """
        let attack = try place.attack(swap, [place.victim])
        for round in 0..<40 {
            let source = round.isMultiple(of: 2) ? ["--from-logs"] : [backup, "--move-aside"]
            let answer = try await Answer(of: ["restore", "--store", store] + source, in: place.folder)
            // An attacker without privileges may have made a second name of the file, where the system permits it.
            if geteuid() == 0 { try place.expectNoHarm(answer) }
        }
        attack.send(SIGKILL)
        _ = await attack.ending()
    }

    /// The place of the store is a link of another user, who would have root move any file away.
    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"))
    func aStoreIsNotSoughtThroughALinkOfAnotherUser() async throws {
        let place = try Place()
        let store = "\(place.shared)/store.sqlite"
        #expect(symlink(place.victim, store) == 0)
        try place.giveAway()
        let answer = try await Answer(of: ["restore", "--store", store, "--from-logs"], in: place.folder)
        #expect(answer.ending == .exited(74) && answer.errors.contains("belongs to another user"), "\(answer)")
        try place.expectNoHarm(answer)
    }

    /// A move that fails puts the former marker back, which must not be the text of a file to which a link leads.
    @Test func aMarkerIsNoLink() async throws {
        let place = try Place()
        let name = String(repeating: "s", count: 219)
        for file in [name, name + "-blobs"] { try place.folder.write("a store", to: "shared/\(file)") }
        #expect(symlink(place.victim, "\(place.shared)/\(name).restored") == 0)
        try place.giveAway()
        let answer = try await Answer(
            of: ["restore", "--store", "\(place.shared)/\(name)", "--from-logs"],
            in: place.folder
        )
        #expect(answer.ending == .exited(74) && answer.errors.contains("-blobs"), "\(answer)")
        try place.expectNoHarm(answer)
    }
}
