import ArgumentParser
import Foundation
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct BackupCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a consistent copy of the store into a new file.",
        discussion: """
            The file contains the whole store: the state, its write-ahead log, the large values beside the store, and the local \
            changes that are not exported yet. Any program that reads SQLite can read it; tributaryctl restore puts it into place.

            The file must not exist, and appears when it is complete and its hash is verified. Ends with 74 when a disk \
            is full.

            With --keep the argument is a folder. The file is then named tributary-NUMBER-TIME-STORE.sqlite, with --instance \
            tributary-NAME-NUMBER-TIME-STORE.sqlite. Each backup gets the next NUMBER, so that a wrong clock has no effect. \
            STORE is the end of the store's label. When the file is complete, the command removes the backups of this store \
            with the least numbers until --keep backups are left. Backups of other stores and files with other names are left alone. \
            When the new backup lacks large values, no complete backup is removed. Unfinished backups older than a day are \
            always removed.
            """
    )

    @Argument(
        help: ArgumentHelp("The file to create, which only you may read; with --keep its folder.", valueName: "file"),
        completion: .file()
    )
    var file: String

    @Option(
        help: ArgumentHelp(
            "Make a file with a name of its own in the folder, and keep so many of them.",
            valueName: "count"
        )
    )
    var keep: Int?

    func validate() throws {
        if let keep, !(1...10_000).contains(keep) { throw ValidationError("--keep takes a number from 1 to 10000") }
    }

    func run(with session: Session) async throws {
        guard let keep else {
            let target = try NewFile(file, mode: 0o600)
            let (response, message) = try await write(to: target, session)
            try target.finish()
            session.show(response) { tell(message, at: file, session) }
            complain(message, session)
            return
        }
        let series = try BackupSeries(folder: file, socket: session.socket)
        let (target, begun) = try series.begin(at: Date())
        let (_, message) = try await write(to: target, session)
        let name = series.name(of: begun, store: message.store)
        try target.finish(as: name)
        let path = series.path(of: name)
        // The previous backup may be the last backup with all values.
        var removed = message.missingValues == 0 ? try series.removeOldest(keeping: keep, sparing: name) : []
        removed += try series.removeIncomplete(at: Date())
        if session.json {
            let report = JSONValue.members([
                "file": .string(path), "bytes": .integer(message.bytes), "sha256": .string(message.sha256),
                "missingValues": .count(message.missingValues), "removed": .array(removed.map(JSONValue.string)),
            ])
            session.terminal.print(report.text)
        } else {
            tell(message, at: path, session)
            for path in removed { session.terminal.print("removed \(EscapedText.escape(path))") }
        }
        complain(message, session)
        let unnumbered = (try? series.unnumbered()) ?? []
        if let first = unnumbered.first {
            let are = unnumbered.count == 1 ? "is 1 backup" : "are \(unnumbered.count) backups"
            session.terminal.complain("there \(are) with a name of an earlier version, which --keep leaves alone")
            session.terminal.complain("hint: once nobody needs it: rm \(first.shellWord)")
        }
    }

    private func write(to target: NewFile, _ session: Session) async throws -> (AdminResponse, BackupMessage) {
        var hash = SHA256()
        var count: Int64 = 0
        let response = try await session.follow(AdminCall(.post, .backup), progress: ProgressText.percentage) { event in
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
                reason: "the backup differs from the bytes that the daemon has sent; make it again",
                status: .tryAgain
            )
        }
        return (response, message)
    }

    private func tell(_ message: BackupMessage, at path: String, _ session: Session) {
        let name = EscapedText.escape(path)
        session.terminal.print("\(name): \(ByteText.text(message.bytes)), sha256 \(message.sha256)")
    }

    private func complain(_ message: BackupMessage, _ session: Session) {
        guard message.missingValues > 0 else { return }
        let values = CountText.text(message.missingValues, "large value")
        session.terminal.complain("the backup lacks \(values): the files are missing or damaged")
        session.terminal.complain("hint: " + session.hints.text("tributaryctl check"))
    }

    private struct Part: Decodable {
        var bytes: Data
    }
}
