import ArgumentParser
import Foundation
import TributaryAdmin
import TributaryChanges

struct BackupCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a consistent copy of the store into a new file.",
        discussion: """
            The file has everything: the state, its write-ahead log, large values beside the store, and local changes that are
            not exported yet. Any program that reads SQLite can read it; tributaryctl restore puts it into place.

            The file must not exist, and appears when it is complete and its hash is verified. Ends with 74 when a disk
            is full.
            """
    )

    @Argument(help: ArgumentHelp("The file to create; only you may read it.", valueName: "file"), completion: .file())
    var file: String

    func run(with session: Session) async throws {
        let target = try NewFile(file, mode: 0o600)
        var hash = SHA256()
        var count: Int64 = 0
        let response = try await session.follow(
            AdminCall(.post, .backup),
            progress: ProgressText.percentage
        ) { event in
            guard event.event == "part" else { return }
            let bytes = try JSONDecoder().decode(Part.self, from: Data(event.data.utf8)).bytes
            try bytes.withUnsafeBytes { buffer in
                hash.update(bufferPointer: buffer)
                try target.write(buffer)
            }
            count += Int64(bytes.count)
        }
        let message = try response.decode(BackupMessage.self)
        guard count == message.bytes, hash.finalize().hexadecimal == message.sha256 else {
            throw CommandFailure(
                reason: "the bytes of the backup are not those that the daemon has sent",
                status: .tryAgain
            )
        }
        try target.finish()
        session.show(response) {
            let name = EscapedText.escape(file)
            session.terminal.print("\(name): \(TimeText.bytes(message.bytes)), sha256 \(message.sha256)")
        }
        guard message.missingValues > 0 else { return }
        let values = CountText.text(message.missingValues, "large value")
        session.terminal.complain("the backup lacks \(values) whose files are missing or damaged")
        session.terminal.complain("hint: " + session.hints.text("tributaryctl check"))
    }

    private struct Part: Decodable {
        var bytes: Data
    }
}
