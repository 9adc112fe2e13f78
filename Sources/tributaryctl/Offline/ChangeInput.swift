import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel

struct ChangeInput {
    private static let lineLimit = 16 << 20

    let checker: ChangeChecker
    private var mandatory: MandatoryCheck
    private(set) var lines: [UInt8] = []
    private(set) var ids: [UniqueID] = []
    private var mayDelete = true

    init(checker: ChangeChecker) {
        self.checker = checker
        mandatory = MandatoryCheck(checker: checker)
    }

    mutating func readStandardInput() throws(CommandFailure) {
        var pending: [UInt8] = []
        var number = 0
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(0, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let reason = "cannot read standard input: \(String(cString: strerror(errno)))"
                throw CommandFailure(reason: reason, status: .inputOutput)
            }
            if count == 0 { break }
            var rest = chunk[..<count]
            while let newline = rest.firstIndex(of: 0x0A) {
                pending += rest[..<newline]
                rest = rest[(newline + 1)...]
                number += 1
                try append(pending, number)
                pending.removeAll(keepingCapacity: true)
            }
            pending += rest
            guard pending.count <= ChangeInput.lineLimit else { throw failure("the line is over 16 MiB", number + 1) }
        }
        try append(pending, number + 1)
        guard !ids.isEmpty else {
            throw CommandFailure(reason: "standard input has no changes; nothing is written", status: .badData)
        }
        if let (line, fault) = mandatory.finish().first { throw failure(fault.reason, line) }
    }

    private mutating func append(_ line: [UInt8], _ number: Int) throws(CommandFailure) {
        guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return }
        var random = SystemRandomNumberGenerator()
        let parsed: ParsedChange
        do throws(JSONError) {
            let value = try JSONParser.parse(line)
            parsed = try ParsedChange(value)
            if parsed.verb == .insert, parsed.id != nil, value["identity"] != nil {
                throw JSONError("an insert with 'id' has 'identity' as well; leave one of them out")
            }
        } catch {
            throw failure(error.reason, number)
        }
        if let fault = checker.faults(in: parsed).first { throw failure(fault.reason, number) }
        guard mayDelete || parsed.verb != .delete else {
            throw failure("a 'delete' follows another change; write all deletions first", number)
        }
        mayDelete = parsed.verb == .delete
        var id = UniqueID.version7(at: WallTime(Date()), random: (random.next(), random.next()))
        if !parsed.identity.isEmpty, let entity = checker.entity(named: parsed.entity) {
            do {
                id = try entity.identifier(by: parsed.identity, in: parsed.writes)
            } catch {
                throw failure(error.reason, number)
            }
        }
        let change = parsed.change(newID: id)
        let start = lines.count
        change.write(to: &lines)
        guard lines.count - start <= ChangeInput.lineLimit else { throw failure("the change is over 16 MiB", number) }
        ids.append(change.id)
        mandatory.add(change, line: number)
    }

    private func failure(_ reason: String, _ line: Int) -> CommandFailure {
        CommandFailure(reason: "standard input, line \(line): \(reason); nothing is written", status: .badData)
    }
}
