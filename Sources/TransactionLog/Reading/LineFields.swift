import TributaryChanges

struct LineFields {
    private let value: JSONValue

    init(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        try self.init(JSONParser.parse(line, depthLimit: JSONParser.logDepth).get())
    }

    init(_ value: JSONValue) throws(JSONError) {
        self.value = value
        guard case .object = value else { throw JSONError("the line is \(value.kind), not an object") }
    }

    subscript(key: String) -> JSONValue? { value[key] }

    func has(_ key: String) -> Bool { value[key] != nil }

    func count(_ key: String) throws(JSONError) -> UInt64 {
        guard let found = value[key] else { throw missing(key) }
        guard case .integer(let number) = found, number >= 0 else {
            throw JSONError("'\(key)' is \(found.text.prefix(80)), not a whole number from 0 to 2^63-1")
        }
        return UInt64(number)
    }

    func string(_ key: String) throws(JSONError) -> String {
        guard let text = try optionalString(key) else { throw missing(key) }
        return text
    }

    func optionalString(_ key: String) throws(JSONError) -> String? {
        switch value[key] {
        case nil, .null: return nil
        case .string(let text): return text
        case let other?: throw JSONError("'\(key)' is \(other.kind), not a string")
        }
    }

    func shortString(_ key: String) throws(JSONError) -> String? {
        guard let text = try optionalString(key) else { return nil }
        guard text.utf8.count <= LogLimits.textBytes else {
            let reason = "'\(key)' has \(text.utf8.count) bytes, more than \(LogLimits.textBytes)"
            throw JSONError(reason)
        }
        return text
    }

    func optionalHash(_ key: String) throws(JSONError) -> String? {
        guard let text = try optionalString(key) else { return nil }
        guard text.utf8.count == 64, text.utf8.allSatisfy({ hexadecimalDigit($0) != nil }) else {
            throw JSONError("'\(key)' is not a SHA-256 of 64 hexadecimal digits")
        }
        return text.lowercased()
    }

    func hash(_ key: String) throws(JSONError) -> String {
        guard let hash = try optionalHash(key) else { throw missing(key) }
        return hash
    }

    /// Nil also for a signature of another form.
    var signature: Signature? {
        guard let key = try? optionalString("key"), let value = try? optionalString("signature") else { return nil }
        return Signature(key: key, value: value)
    }

    func incarnation(of writer: UniqueID) throws(JSONError) -> Incarnation {
        var incarnation = Incarnation()
        if has("store") { incarnation.store = try uniqueID("store") }
        guard let value = self["after"], value != .null else { return incarnation }
        let after = try LineFields(value)
        let (former, sequence) = (try after.uniqueID("writer"), try after.count("sequence"))
        guard former != writer else { throw JSONError("'after' names the writer itself") }
        if sequence > 0 { incarnation.after = Incarnation.Predecessor(writer: former, sequence: sequence) }
        return incarnation
    }

    func uniqueID(_ key: String) throws(JSONError) -> UniqueID {
        let text = try string(key)
        guard let id = UniqueID(text) else { throw JSONError("'\(key)' is '\(text.prefix(80))', not a UUID") }
        return id
    }

    private func missing(_ key: String) -> JSONError {
        JSONError("the key '\(key)' is missing")
    }
}
