/// How a store comes to another place.
package enum Relocation: String, Hashable, Sendable, CaseIterable {
    case path
    /// Its file is copied, and the original removed.
    case file
    case folder
    /// It goes on on another machine.
    case machine
}
