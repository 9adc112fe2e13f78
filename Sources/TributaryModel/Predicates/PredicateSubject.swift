package import TributaryChanges

/// An object for which predicates and sort keys can be evaluated in memory.
package protocol PredicateSubject {
    /// The type of the destination objects of its relationships.
    associatedtype Related: PredicateSubject where Related.Related == Related

    var predicateID: UniqueID { get }

    var predicateEntity: String { get }

    /// Returns the value of an attribute, or the UUID of a to-one relationship's destination as a reference.
    func predicateValue(propertyIndex: Int) -> PropertyValue

    func predicateTarget(propertyIndex: Int) -> Related?

    func predicateTargets(propertyIndex: Int) -> [Related]
}
