/// How a store comes to another place.
package enum Relocation: String, Hashable, Sendable, CaseIterable {
    /// Its file has another path.
    case path
    /// Its file is copied, and the original removed.
    case file
    /// Its log folder has another path.
    case folder
    /// It goes on on another machine.
    case machine
}
