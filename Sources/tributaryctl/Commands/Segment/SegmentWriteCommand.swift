import ArgumentParser
import Foundation
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel

struct SegmentWriteCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write changes from standard input as a segment, without a daemon.",
        discussion: """
            Standard input has one change a line, as in the log; an insert without "id" gets one. All changes are one \
            transaction: they are checked against the model, and either all are written or none. Deletions come first.

            The writer must be a UUID that no other program writes as. With --key the segment is signed. Stores that \
            accept only signed segments have to trust the key for this writer: tributaryctl writer trust WRITER --key \
            KEY
            """
    )

    @Option(help: ArgumentHelp("The log folder.", valueName: "dir"), completion: .directory)
    var logs: String

    @Option(help: ArgumentHelp("Who writes.", valueName: "uuid"))
    var writer: String

    @Option(help: ArgumentHelp("The model: .xcdatamodeld, .xcdatamodel or .yaml.", valueName: "path"))
    var model: String

    @Option(parsing: .unconditional, help: "The display name of the writer.")
    var name: String?

    @Option(parsing: .unconditional, help: "Who made the changes.")
    var author: String?

    @OptionGroup var signing: SigningKeyOption

    @OptionGroup var encryption: EncryptionOptions

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if UniqueID(writer) == nil { throw ValidationError("--writer '\(writer)' is not a UUID") }
    }

    func run(on terminal: Terminal) throws {
        let key = try signing.signingKey()
        let model = try Model(atPath: model)
        guard let id = UniqueID(writer) else { throw ExitStatus.usage }
        let folder = try LogFolder(path: logs, keys: try encryption.keys())
        var input = ChangeInput(checker: ChangeChecker(model: model))
        try input.readStandardInput()
        let own = try WriterSegments(of: id, in: folder)
        let header = SegmentHeader(
            writer: id,
            name: name,
            first: own.next,
            last: own.next,
            previous: own.previous,
            model: model.version
        )
        let transaction = TransactionHeader(
            sequence: own.next,
            clock: own.clock.next(at: WallTime(Date())),
            author: author,
            changeCount: input.ids.count
        )
        let end = try folder.publish(header.segmentName, header: header.line, signedBy: key) { writer in
            var line: [UInt8] = []
            transaction.write(to: &line)
            try writer.append(lines: line + input.lines, changes: input.ids.count)
        }
        printText(header.segmentName, end, ids: input.ids, on: terminal)
    }

    private func printText(_ name: SegmentName, _ end: SegmentEnd, ids: [UniqueID], on terminal: Terminal) {
        guard json else {
            let changes = CountText.text(end.changes, "change")
            let signed = end.signature.map { ", signed with key \($0.key)" } ?? ""
            terminal.print("\(EscapedText.escape(logs))/\(name.path): transaction \(end.last), \(changes)\(signed)")
            return
        }
        terminal.print(
            JSONValue.members([
                "file": .string("\(logs)/\(name.path)"), "writer": .string(name.writer.description),
                "transaction": .count(end.last), "changes": .count(end.changes), "sha256": .string(end.sha256),
                "ids": .array(ids.map { .string($0.description) }),
                "key": end.signature.map { .string($0.key.description) },
            ]).text
        )
    }
}
