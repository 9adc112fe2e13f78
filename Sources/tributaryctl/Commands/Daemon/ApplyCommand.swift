import ArgumentParser
import Foundation
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct ApplyCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make changes from a file in a single transaction: all or nothing.",
        discussion: """
            The file has one change a line in the log's syntax, or is the JSON object {"changes": [...]}. \
            With - it is read from standard input.
            """
    )

    @Argument(help: "The file, or -.")
    var file: String

    @Option(help: ArgumentHelp("A UUID that makes a repeat of the same request harmless.", valueName: "uuid"))
    var key: String?

    func run(with session: Session) async throws {
        let (changes, lines) = try changes(in: try read())
        do {
            try await session.send(changes, key: key)
        } catch var problem as ProblemDocument {
            if let index = problem.index, changes.indices.contains(index) {
                problem.file = file
                problem.line = lines.map { $0[index] }
                if lines == nil { problem.detail = "change \(index + 1): \(problem.detail ?? problem.title)" }
            }
            throw problem
        }
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

    private func changes(in bytes: [UInt8]) throws -> ([JSONValue], lines: [Int]?) {
        let whole = try? JSONParser.parse(bytes, depthLimit: 16)
        if let changes = whole?.elements("changes") { return (changes, nil) }
        var changes: [JSONValue] = []
        var lines: [Int] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            do {
                changes.append(try JSONParser.parse(Array(line)))
                lines.append(index + 1)
            } catch {
                throw CommandFailure(reason: "\(file):\(index + 1): \(error)", status: .badData)
            }
        }
        return (changes, lines)
    }
}

extension Session {
    func values(of arguments: [PropertyArgument], entity: String) async throws -> JSONValue {
        guard !arguments.isEmpty else { return .object([]) }
        let lineage = try await model().lineage(of: entity)
        var types: [String: String] = [:]
        for attribute in lineage.flatMap(\.attributes) { types[attribute.name] = attribute.type }
        let toMany = Set(lineage.flatMap(\.relationships).filter(\.toMany).map(\.name))
        if let links = arguments.first(where: { !$0.isJSON && toMany.contains($0.name) }) {
            throw CommandFailure(
                reason:
                    "\(links.name) is a to-many relationship, which takes objects with --link \(links.name)=UUID: "
                    + "tributaryctl object update \(entity) UUID --link \(links.name)=UUID",
                status: .usage
            )
        }
        return .object(try arguments.map { JSONMember(key: $0.name, value: try $0.value(type: types[$0.name])) })
    }

    /// Prints the IDs of the objects; the daemon applies requests with equal `key` once.
    func send(_ changes: [JSONValue], key: String? = nil) async throws {
        var bytes: [UInt8] = []
        JSONValue.members(["changes": .array(changes)]).write(to: &bytes)
        let headers = key.map { ["idempotency-key": $0] } ?? [:]
        try showIDs(of: try await call(AdminCall(.post, .transactions, body: bytes, headers: headers)))
    }

    func showIDs(of response: AdminResponse) throws {
        try show(response) {
            for id in try response.json().elements("ids") ?? [] { terminal.print(id.shown ?? "") }
        }
    }
}
