package struct JSONMember: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

extension [JSONMember] {
    /// Whether two keys have equal Unicode scalars.
    package var repeatsKey: Bool {
        guard count > 16 else {
            return indices.contains { later in
                self[..<later].contains { $0.key.isIdentical(to: self[later].key) }
            }
        }
        return Set(map { [UInt8]($0.key.utf8) }).count < count
    }
}
