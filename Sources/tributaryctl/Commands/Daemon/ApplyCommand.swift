import ArgumentParser
import Foundation
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct ApplyCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make changes from a file as one transaction: all or nothing.",
        discussion: """
            The file has one change a line in the log's syntax, or is the JSON object {"changes": [...]}. \
            With - it is read from standard input.
            """
    )

    @Argument(help: "The file, or -.")
    var file: String

    @Option(help: ArgumentHelp("A UUID that makes a repeat of the same request harmless.", valueName: "uuid"))
    var key: String?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let request = ChangeRequest(session: session)
        try request.printResult(try await request.send(try changes(in: try read()), key: key))
    }

    private func read() throws -> [UInt8] {
        if file == "-" { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
        // The file may be a pipe, such as a shell's <(…).
        guard let handle = FileHandle(forReadingAtPath: file) else {
            let status: ExitStatus =
                switch errno {
                case ENOENT, ENOTDIR: .noSuchThing
                case EACCES, EPERM: .notPermitted
                default: .inputOutput
                }
            throw CommandFailure(reason: "\(file): \(String(cString: strerror(errno)))", status: status)
        }
        do {
            return Array(try handle.readToEnd() ?? Data())
        } catch {
            throw CommandFailure(reason: "\(file): it cannot be read", status: .inputOutput)
        }
    }

    private func changes(in bytes: [UInt8]) throws -> [JSONValue] {
        if let whole = try? JSONParser.parse(bytes, depthLimit: 16), case .array(let changes)? = whole["changes"] {
            return changes
        }
        var changes: [JSONValue] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            do {
                changes.append(try JSONParser.parse(Array(line)))
            } catch {
                throw CommandFailure(reason: "\(file):\(index + 1): \(error)", status: .badData)
            }
        }
        return changes
    }
}
