extension String {
    /// Compares the Unicode scalars; for `==`, "é" as one scalar also equals "e" with a combining accent.
    package func isIdentical(to other: String) -> Bool {
        // Called for each name of each imported change, so it compares the bytes in place.
        let isEqual = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count && left.elementsEqual(right)
            }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

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
