import ArgumentParser
import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct SegmentSignCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign segment files with a key of their writer, without a daemon.",
        discussion: """
            For programs that write segments and do not sign them. Stores with trust.mode known hold such segments \
            until they are signed with a key that the store trusts for the writer.

            Sign a file before it gets its name in the log folder. A file that has its name already is replaced by the \
            same file with the signature. Symbolic links are not followed. Only the last line changes, not the hash. \
            All files must be of the same writer. If a file is signed with another key and --replace is not given, no \
            file is signed.

            Make a key with: openssl genpkey -algorithm ed25519 -out FILE
            """
    )

    @OptionGroup var signing: SigningKeyOption

    @Flag(help: "Replace the signature of another key.")
    var replace = false

    @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file(extensions: ["tlog"]))
    var files: [String]

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if signing.key == nil { throw ValidationError("--key FILE is missing: name the file of the key to sign with") }
    }

    func run(on terminal: Terminal) throws {
        guard let key = try signing.signingKey() else { throw ExitStatus.usage }
        // Every file is verified before any file is signed.
        var folders: [String: OpenFolder] = [:]
        let segments = try files.map { path in
            let folder = try folders[path.folder] ?? OpenFolder(path.folder)
            folders[path.folder] = folder
            return try signable(path, in: folder, by: key.publicKey)
        }
        guard let writer = segments.first?.segment.name.writer else { throw ExitStatus.usage }
        if let other = segments.first(where: { $0.segment.name.writer != writer }) {
            let reason =
                "\(other.file.file) is of writer \(other.segment.name.writer), \(files[0]) of \(writer): run the "
                + "command for each writer with the writer's own key"
            throw CommandFailure(reason: reason, status: .usage)
        }
        var signed: [JSONValue] = []
        for (path, (file, segment)) in zip(files, segments) {
            let signature = key.sign(SignedText.of(segment.name.path, segment.end.sha256))
            guard let folder = folders[path.folder] else { throw ExitStatus.internalError }
            try SignedCopy(file: file, path: path, folder: folder).write(signature)
            signed.append(
                .members([
                    "file": .string(path), "writer": .string(writer.description),
                    "sha256": .string(segment.end.sha256), "signature": .string(signature.value),
                ])
            )
            if !json { terminal.print("\(EscapedText.escape(path)): signed") }
        }
        guard !json else {
            return terminal.print(
                JSONValue.members(["key": .string(key.publicKey.description), "segments": .array(signed)]).text
            )
        }
        let typed = "tributaryctl writer trust \(writer) --key \(key.publicKey)"
        terminal.print("to trust the key, on each machine: \(typed)")
    }

    private func signable(
        _ path: String,
        in folder: OpenFolder,
        by key: PublicKey
    ) throws -> (file: OpenFile, segment: VerifiedSegment) {
        let report = SegmentReport(path: path, in: folder)
        if report.error?.kind == .locked {
            let reason = "\(path): it is encrypted already; sign before encryption, as segment write does"
            throw CommandFailure(reason: reason, status: .notPermitted)
        }
        if let error = report.error {
            guard folder.isLink((path as NSString).lastPathComponent) else { throw error }
            throw CommandFailure(
                reason: "\(path): it is a symbolic link, and links are not followed: name the file itself",
                status: .badData
            )
        }
        guard let file = report.file, let segment = report.segment else { throw ExitStatus.badData }
        if !replace, let former = segment.end.signature, former.key != key,
            former.isValid(of: SignedText.of(segment.name.path, segment.end.sha256))
        {
            let reason =
                "\(path): key \(former.key) has signed it; nothing is signed. To replace its signature: --replace"
            throw CommandFailure(reason: reason, status: .notPermitted)
        }
        return (file, segment)
    }
}

struct SigningKeyOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file of an Ed25519 key in PEM to sign with, for its owner alone.", valueName: "path"),
        completion: .file()
    )
    var key: String?

    func signingKey() throws(CommandFailure) -> SigningKey? {
        guard let path = key else { return nil }
        let found: SigningKey?
        do {
            found = try KeyFile.read(path)
        } catch {
            throw CommandFailure(reason: error.description, status: .badData)
        }
        guard let found else {
            throw CommandFailure(
                reason: "'\(path)': the file does not exist; make a key with: openssl genpkey -algorithm ed25519 -out "
                    + path.shellWord,
                status: .noSuchThing
            )
        }
        return found
    }
}

/// Atomically replaces an unsigned segment with a signed copy.
///
/// Another user may replace a file with a link while the others are verified, so the replaced file must be the verified
/// file.
private struct SignedCopy {
    let file: OpenFile
    let path: String
    let folder: OpenFolder

    private var name: String { (path as NSString).lastPathComponent }

    func write(_ signature: Signature) throws {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw FileFailure(path, errno) }
        try demandSameFile()
        let tail = try SegmentTail.read(file)
        let target = try NewFile(name, in: folder, mode: status.st_mode & 0o777)
        try copy(0..<tail.offset, to: target)
        try target.write(line(try file.bytes(in: tail.offset..<tail.fileSize), with: signature))
        if status.st_uid != geteuid() { try target.give(to: status.st_uid, status.st_gid) }
        try target.replace(demandSameFile)
    }

    private func demandSameFile() throws {
        guard folder.has(file.descriptor, as: name) else {
            let reason = "'\(path)': it was replaced while the files were verified; it is not signed"
            throw CommandFailure(reason: reason, status: .tryAgain)
        }
    }

    /// The end line keeps all its other members.
    private func line(_ line: [UInt8], with signature: Signature) throws -> [UInt8] {
        let value: JSONValue
        do {
            value = try JSONParser.parse(Array(line.dropLast()))
        } catch {
            throw CommandFailure(reason: "'\(path)': the end line is not valid: \(error.reason)", status: .badData)
        }
        guard case .object(let members) = value else {
            throw CommandFailure(reason: "'\(path)': the end line is not an object", status: .badData)
        }
        let others = members.filter { $0.key != "key" && $0.key != "signature" }
        let added = [
            JSONMember(key: "key", value: .string(signature.key.description)),
            JSONMember(key: "signature", value: .string(signature.value)),
        ]
        return Array(JSONValue.object(others + added).text.utf8) + [0x0A]
    }

    private func copy(_ range: Range<UInt64>, to target: NewFile) throws {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let portion = try file.bytes(in: offset..<min(range.upperBound, offset + 1 << 20))
            try target.write(portion)
            offset += UInt64(portion.count)
        }
    }
}
