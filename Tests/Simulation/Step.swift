import TributaryChanges

/// One thing that happens in a schedule.
///
/// Steps need nothing of each other: one that makes no sense where it stands
/// does nothing, so that a schedule can be cut down to what makes it fail.
enum Step: Hashable, Sendable, CustomStringConvertible {
    /// A program saves on a replica; a save that the store refuses leaves nothing.
    case save(replica: Int, [Change])
    /// A producer without a replica writes; its clock is so many ticks beside the common one.
    case produce(producer: Int, skew: Int, [Change])
    /// A replica takes a segment with up to `count` transactions of a writer. It begins `overlap` before what the replica
    /// has; the changes are handed over in pieces of `piece`.
    case deliver(writer: Int, to: Int, overlap: Int, count: Int, piece: Int, slice: Int)
    /// The same, but the import breaks off after so many events, or at its end, and is rolled back.
    case abort(writer: Int, to: Int, count: Int, piece: Int, after: Int)
    /// A replica's store is closed and opened again.
    case restart(replica: Int)
    /// A replica's store is closed and opened again with the model that has grown.
    case grow(replica: Int)
    /// The common clock goes on.
    case tick
    /// A replica is held against the model of the merge.
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
        case .tick: "tick"
        case .check(let replica): "check \(replica)"
        }
    }
}
