import ArgumentParser
import Foundation
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel

// This folder works without a daemon: on files of the log folder, models, backups, and stores without a running daemon.

protocol OfflineCommand: AsyncParsableCommand {
    var format: FormatOptions { get }

    func run(on terminal: Terminal) throws
}

extension OfflineCommand {
    var json: Bool { format.json }

    func run() async throws {
        let terminal = Terminal.standard
        do {
            try run(on: terminal)
        } catch let error as SegmentError {
            let message = EscapedText.escape(error.description) + "\nhint: " + error.offlineHint
            throw terminal.failed(message, ExitStatus(error))
        } catch let error as ModelError {
            throw terminal.failed(EscapedText.escape(error.description), .badData)
        } catch let failure as CommandFailure {
            throw terminal.failed(EscapedText.escape(failure.reason), failure.status)
        } catch let failure as FileFailure {
            throw terminal.failed(EscapedText.escape(failure.description), .inputOutput)
        } catch let status as ExitStatus {
            throw ExitCode(status.rawValue)
        }
    }
}

/// As `encryption.key_file` of the daemon.
struct EncryptionOptions: ParsableArguments {
    @Option(
        name: .customLong("encryption-keys"),
        help: ArgumentHelp("A file with the keys of encrypted files, as encryption.key_file.", valueName: "file"),
        completion: .file()
    )
    private var file: String?

    func keys() throws(CommandFailure) -> EncryptionKeys {
        guard let file else { return EncryptionKeys() }
        do {
            return try EncryptionKeys(file: file)
        } catch {
            throw CommandFailure(reason: "\(error)", status: .badConfiguration)
        }
    }
}

extension Model {
    init(atPath path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(reason: "\(path): the model does not exist", status: .noSuchThing)
        }
        try self.init(contentsOf: path)
    }
}

extension SegmentError {
    var offlineHint: String {
        kind == .locked ? "Name the file that has its key: --encryption-keys FILE" : hint
    }
}

extension ExitStatus {
    init(_ error: SegmentError) {
        self =
            switch error.kind {
            case .incomplete, .damaged, .rejected: .badData
            case .forked, .changed: .tryAgain
            case .missing: .noSuchThing
            case .locked: .notPermitted
            case .inputOutput: .inputOutput
            }
    }
}
