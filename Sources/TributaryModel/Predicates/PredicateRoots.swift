/// The root entities, besides that of the evaluated object, on which the result of a predicate depends.
package struct PredicateRoots: Sendable, Hashable {
    /// Root entities of objects whose values or relationships the predicate reads.
    package var traversed: Set<String> = []
    /// Root entities of the destination objects of to-one registers; only the existence of these objects matters.
    package var named: Set<String> = []

    package init() {}

    /// Whether unsaved changes and deletions of objects with these root entities can change the result.
    package func areConcerned(changed: Set<String>, deleted: Set<String>) -> Bool {
        !traversed.isDisjoint(with: changed) || !named.isDisjoint(with: deleted)
    }
}
