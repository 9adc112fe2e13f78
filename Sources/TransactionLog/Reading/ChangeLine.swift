import TributaryChanges

/// The members of a change line; a known key must have its type with every verb, and unknown keys are ignored.
struct ChangeLine {
    enum Verb { case insert, update, delete, link, unlink }

    private enum Key { case verb(Verb), id, values, to, ids, positions, other }

    private var verb: Verb?
    private var entity: JSONString?
    private var id: UniqueID?
    private var writes: [PropertyWrite] = []
    private var relationship: JSONString?
    private var ids: [UniqueID]?
    private var positions: [String]?
    private var idCount = 0
    private var positionCount = 0

    var isDeletion: Bool { verb == .delete }

    init(_ scanner: inout JSONScanner, builds: Bool) throws(JSONError) {
        guard scanner.peek() == UInt8(ascii: "{") else { throw scanner.unexpected("an object") }
        try scanner.open(UInt8(ascii: "{"), depth: 1)
        let base = scanner.keys.count
        var first = true
        while let key = try scanner.nextMember(&first) {
            switch key.isEscaped
                ? ChangeLine.key(Array(scanner.text(of: key).utf8)[...]) : ChangeLine.key(key, scanner.bytes)
            {
            case .verb(let found):
                guard verb == nil else {
                    throw scanner.failure("more than one of insert, update, delete, link, unlink")
                }
                verb = found
                entity = try scanner.string()
            case .id: id = try ChangeLine.uniqueID(&scanner)
            case .values:
                if builds { writes = try scanner.writes(depth: 2) } else { try scanner.skipObject(depth: 2) }
            case .to: relationship = try scanner.string()
            case .ids: try readIDs(&scanner, builds: builds)
            case .positions: try readPositions(&scanner, builds: builds)
            case .other: try scanner.skipValue(depth: 1)
            }
        }
        try scanner.closeKeys(from: base)
        try scanner.expectEnd()
        try check(scanner)
    }

    func change(names scanner: inout JSONScanner) throws(JSONError) -> Change {
        guard let verb, let entity, let id else { throw scanner.failure("it is not a change") }
        let operation: Change.Operation
        switch verb {
        case .insert: operation = .insert(writes)
        case .update: operation = .update(writes)
        case .delete: operation = .delete
        case .link, .unlink:
            guard let relationship, let ids else { throw scanner.failure("it is not a change") }
            let name = scanner.name(of: relationship)
            operation = verb == .link ? .link(to: name, ids: ids, positions: positions) : .unlink(to: name, ids: ids)
        }
        return Change(entity: scanner.name(of: entity), id: id, operation: operation)
    }

    private func check(_ scanner: JSONScanner) throws(JSONError) {
        guard let verb else { throw scanner.failure("none of insert, update, delete, link, unlink is there") }
        guard id != nil else { throw scanner.failure("the key 'id' is missing") }
        guard verb == .link || verb == .unlink else { return }
        guard relationship != nil else { throw scanner.failure("the key 'to' is missing") }
        guard ids != nil else { throw scanner.failure("the key 'ids' is missing") }
        guard positions == nil || positionCount == idCount else {
            throw scanner.failure("the numbers of positions and IDs differ: \(positionCount) and \(idCount)")
        }
    }

    private mutating func readIDs(_ scanner: inout JSONScanner, builds: Bool) throws(JSONError) {
        guard scanner.peek() == UInt8(ascii: "[") else { throw scanner.unexpected("an array of IDs") }
        try scanner.open(UInt8(ascii: "["), depth: 2)
        var list: [UniqueID] = []
        var first = true
        while try scanner.nextElement(&first) {
            let id = try ChangeLine.uniqueID(&scanner)
            idCount += 1
            if builds { list.append(id) }
        }
        ids = list
    }

    private mutating func readPositions(_ scanner: inout JSONScanner, builds: Bool) throws(JSONError) {
        guard scanner.peek() != UInt8(ascii: "n") else { return try scanner.skipValue(depth: 1) }
        guard scanner.peek() == UInt8(ascii: "[") else { throw scanner.unexpected("an array of positions") }
        try scanner.open(UInt8(ascii: "["), depth: 2)
        var list: [String] = []
        var first = true
        while try scanner.nextElement(&first) {
            let position = try scanner.string()
            positionCount += 1
            if builds { list.append(scanner.text(of: position)) }
        }
        positions = list
    }

    private static func uniqueID(_ scanner: inout JSONScanner) throws(JSONError) -> UniqueID {
        let string = try scanner.string()
        guard let id = scanner.uniqueID(of: string) else {
            throw scanner.failure("'\(scanner.text(of: string).prefix(80))' is not a UUID", at: string.start)
        }
        return id
    }

    @inline(__always)
    private static func key(_ key: JSONString, _ bytes: UnsafeBufferPointer<UInt8>) -> Key {
        self.key(UnsafeBufferPointer(rebasing: bytes[key.start..<key.end]))
    }

    @inline(__always)
    private static func key(_ text: some Collection<UInt8>) -> Key {
        func isEqual(_ word: StaticString) -> Bool {
            var byte = word.utf8Start
            for character in text {
                guard character == byte.pointee else { return false }
                byte += 1
            }
            return true
        }
        switch text.count {
        case 2: return isEqual("id") ? .id : isEqual("to") ? .to : .other
        case 3: return isEqual("ids") ? .ids : .other
        case 4: return isEqual("link") ? .verb(.link) : .other
        case 6:
            if isEqual("values") { return .values }
            if isEqual("insert") { return .verb(.insert) }
            if isEqual("update") { return .verb(.update) }
            if isEqual("delete") { return .verb(.delete) }
            return isEqual("unlink") ? .verb(.unlink) : .other
        case 9: return isEqual("positions") ? .positions : .other
        default: return .other
        }
    }
}
