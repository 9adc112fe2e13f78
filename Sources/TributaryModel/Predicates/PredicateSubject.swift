package import TributaryChanges

/// An object for which predicates and sort keys can be evaluated in memory.
package protocol PredicateSubject {
    /// The type of the destination objects of its relationships.
    associatedtype Related: PredicateSubject where Related.Related == Related

    /// The object's UUID.
    var predicateID: UniqueID { get }

    /// The name of the object's entity.
    var predicateEntity: String { get }

    /// Returns the value of an attribute, or the UUID of a to-one relationship's destination as a reference.
    func predicateValue(propertyIndex: Int) -> PropertyValue

    /// Returns the destination object of a to-one relationship; nil when there is none.
    func predicateTarget(propertyIndex: Int) -> Related?

    /// Returns the destination objects of a to-many relationship.
    func predicateTargets(propertyIndex: Int) -> [Related]
}
