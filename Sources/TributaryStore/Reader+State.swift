extension Reader {
    /// A digest over the canonical merge state, with the vector that it is for.
    package func digest() throws -> StoreDigest { fatalError("stub") }
    /// The visible objects and the merge state behind them as text in canonical order, for comparing whole stores.
    package func dump() throws -> String { fatalError("stub") }
}
