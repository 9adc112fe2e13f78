/// A migration ended because the daemon is to stop; the store is at the old version, and the next start begins again.
struct MigrationInterruption: Error, CustomStringConvertible {
    let from: String
    let to: String

    var description: String {
        "The migration from model version '\(from)' to '\(to)' was stopped; it starts again at the next start"
    }
}
