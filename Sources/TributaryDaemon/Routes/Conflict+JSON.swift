import TributaryChanges
import TributaryStore

extension Conflict {
    var json: JSONValue {
        var members = [
            JSONMember(key: "number", value: .integer(number)),
            JSONMember(key: "foundAt", value: .double(foundAt)),
            JSONMember(key: "kind", value: .string(kind.rawValue)),
            JSONMember(key: "rule", value: .string(rule.rawValue)),
            JSONMember(key: "entity", value: .string(entity)),
            JSONMember(key: "id", value: .string(id.description)),
            JSONMember(key: "property", value: .string(property)),
            JSONMember(key: "losing", value: losing.json),
            JSONMember(key: "winning", value: winning.json),
        ]
        if let restored { members.append(JSONMember(key: "restored", value: .integer(restored))) }
        return .object(members)
    }
}

extension Conflict.Write {
    fileprivate var json: JSONValue {
        var members = [JSONMember(key: "writer", value: .string(version.writer.description))]
        if let writerName { members.append(JSONMember(key: "name", value: .string(writerName))) }
        members += [
            JSONMember(key: "sequence", value: .integer(Int64(clamping: sequence))),
            JSONMember(key: "clock", value: .string(version.clock.description)),
        ]
        if let value { members.append(JSONMember(key: "value", value: value)) }
        return .object(members)
    }
}
