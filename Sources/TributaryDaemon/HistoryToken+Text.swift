import Tributary

extension HistoryToken {
    /// The token as text: the number, `@`, and the store's writer.
    var text: String { "\(number)@\(store)" }

    init?(text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), number >= 0, !parts[1].isEmpty else { return nil }
        self.init(store: String(parts[1]), number: number)
    }
}
