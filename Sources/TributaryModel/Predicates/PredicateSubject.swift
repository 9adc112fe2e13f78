package import TributaryChanges

/// An object that predicates and sort keys can be evaluated on in memory.
package protocol PredicateSubject {
    /// The type of the objects that its relationships lead to.
    associatedtype Related: PredicateSubject where Related.Related == Related

    /// The object's UUID.
    var predicateID: UniqueID { get }

    /// The name of the object's own entity.
    var predicateEntity: String { get }

    /// The value of an attribute, or the target's UUID of a to-one relationship, as a reference.
    func predicateValue(slot: Int) -> PropertyValue

    /// The object that a to-one relationship leads to; nil where it is empty.
    func predicateTarget(slot: Int) -> Related?

    /// The objects that a to-many relationship leads to.
    func predicateTargets(slot: Int) -> [Related]
}
