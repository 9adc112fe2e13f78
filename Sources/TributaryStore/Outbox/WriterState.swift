/// A decision about a writer, or a fact about it that is not in its log.
package enum WriterState: String, Sendable, Hashable {
    /// Nobody counts on its acknowledgements until something newer of it is applied.
    case evicted
    /// Nobody waits for its missing transactions.
    case abandoned
}
