extension String {
    /// Finds a name that differs in at most two characters, or in case; O(n · m²) for n names of m characters.
    package func nearest(in names: some Sequence<String>) -> String? {
        let word = Array(lowercased())
        guard word.count <= 100 else { return nil }
        return names.map { (name: $0, distance: String.distance(word, Array($0.lowercased()))) }
            .filter { $0.distance <= 2 && $0.distance < $0.name.count }
            .min { $0.distance < $1.distance }?.name
    }

    /// The end of a message about a name that does not exist.
    package static func question(meaning name: String?) -> String { name.map { "; is '\($0)' meant?" } ?? "" }

    private static func distance(_ word: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, character) in word.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (other[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
