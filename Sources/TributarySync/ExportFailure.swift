/// Why nothing is exported, besides what reading and writing throw.
enum ExportFailure: Error, Hashable {
    /// The store's own clock is ahead of the wall: what it exported now would win over everybody.
    case clockAhead(milliseconds: UInt64)
    case cannotSync(path: String, code: Int32)
}
