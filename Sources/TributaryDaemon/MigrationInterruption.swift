/// A migration that ended because the daemon stops; the store is at the old version, and the next start migrates it
/// again.
struct MigrationInterruption: Error, CustomStringConvertible {
    let from: String
    let to: String

    var description: String {
        "The migration from model version '\(from)' to '\(to)' was stopped; it starts again at the next start"
    }
}
