/// Root entities of the objects, besides the one asked about, that an answer depends on.
package struct PredicateRoots: Sendable, Hashable {
    /// Of objects whose values or relationships are read.
    package var traversed: Set<String> = []
    /// Of objects that matter only in that they are there: the targets of registers that are compared themselves.
    package var named: Set<String> = []

    package init() {}

    /// Whether the answer may be another one with these changes and deletions, which the store does not know.
    package func areConcerned(changed: Set<String>, deleted: Set<String>) -> Bool {
        !traversed.isDisjoint(with: changed) || !named.isDisjoint(with: deleted)
    }
}
