import TributaryChanges
public import TributaryModel

extension ManagedObject: PredicateArgumentConvertible {
    /// The object's ID, for comparison with a relationship or with SELF.
    public var predicateArgument: PredicateArgument { .object(objectID) }
}
