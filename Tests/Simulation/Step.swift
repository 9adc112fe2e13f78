import TributaryChanges

/// One step of a schedule.
///
/// Steps are independent of each other: a step that makes no sense in its place does nothing, so that a schedule can be
/// reduced to the steps that make it fail.
enum Step: Hashable, Sendable, CustomStringConvertible {
    /// A program saves on a replica; a save that the store refuses has no effect.
    case save(replica: Int, [Change])
    /// A producer without a replica writes; `skew` is the number of ticks between its clock and the common clock.
    case produce(producer: Int, skew: Int, [Change])
    /// A replica imports a segment with up to `count` transactions of a writer.
    ///
    /// The segment begins `overlap` transactions before the replica's position; its changes are applied in pieces of
    /// `piece`.
    case deliver(writer: Int, to: Int, overlap: Int, count: Int, piece: Int, slice: Int)
    /// A replica begins to import a segment, but the import aborts and is rolled back.
    ///
    /// It aborts after the given number of events, or at the end of the segment.
    case abort(writer: Int, to: Int, count: Int, piece: Int, after: Int)
    /// A replica's store is closed and opened again.
    case restart(replica: Int)
    /// A replica's store is closed and opened again with the model that has grown.
    case grow(replica: Int)
    /// A replica joins the baseline of another one.
    case join(from: Int, to: Int)
    /// The common clock advances.
    case tick
    /// A replica is compared with the merge oracle.
    case check(replica: Int)

    var description: String {
        func lines(_ changes: [Change]) -> String {
            var bytes: [UInt8] = []
            for change in changes { change.write(to: &bytes) }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { "\n    \($0)" }.joined()
        }
        return switch self {
        case .save(let replica, let changes): "save replica \(replica)" + lines(changes)
        case .produce(let producer, let skew, let changes): "produce \(producer), skew \(skew)" + lines(changes)
        case .deliver(let writer, let to, let overlap, let count, let piece, let slice):
            "deliver \(writer) to \(to), overlap \(overlap), count \(count), piece \(piece), slice \(slice)"
        case .abort(let writer, let to, let count, let piece, let after):
            "abort \(writer) to \(to), count \(count), piece \(piece), after \(after)"
        case .restart(let replica): "restart \(replica)"
        case .grow(let replica): "grow \(replica)"
        case .join(let from, let to): "join \(from) to \(to)"
        case .tick: "tick"
        case .check(let replica): "check \(replica)"
        }
    }
}
