/// Packs what a transaction changed into rows of `tributary_history`.
enum HistoryWriter {
    /// Records in a row: 200 of 20 bytes fill one page of 4 KiB.
    static let capacity = 200
}
