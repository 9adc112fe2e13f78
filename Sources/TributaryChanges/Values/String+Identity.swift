extension String {
    /// Whether both strings have the same Unicode scalars.
    ///
    /// Names from segments, requests and stores are compared by scalars, like in JSON, SQLite and other languages. `==`
    /// also considers canonically equivalent spellings equal ("é" as one scalar, or as "e" with a combining accent).
    package func isIdentical(to other: String) -> Bool {
        // Called for each name of each imported change, so it compares the bytes in place.
        let isEqual = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count && left.elementsEqual(right)
            }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Compares the UTF-8 bytes: one order on every machine.
    package func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension [String] {
    package func isIdentical(to other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.isIdentical(to: $1) }
    }
}

extension Dictionary<String, Int> {
    package subscript(identical key: String) -> Int? {
        guard let index = index(forKey: key), keys[index].isIdentical(to: key) else { return nil }
        return values[index]
    }
}
