public import TributaryChanges

extension ManagedObject {
    /// The ID of the object at the other end of a to-one relationship; the object itself is not read.
    ///
    /// Setting it keeps the inverse in step at once.
    public subscript<Target: ManagedObject>(idOf relationship: ToOne<Target>) -> ManagedObjectID? {
        get { relatedID(relationship.slot(in: kind)) }
        set {
            assignRelated(newValue.flatMap { managedObjectContext?.object(with: $0) }, relationship.slot(in: kind))
        }
    }

    /// An attribute through its typed key, as another type that its values can have: a transformable's bytes.
    public subscript<Value: FieldValue, Other: FieldValue>(field: Field<Value>, as type: Other.Type) -> Other {
        get { Other(fieldValue: wholeValue(field.slot(in: kind))) ?? Other.zeroField }
        set { assign(newValue.fieldValue, field.slot(in: kind)) }
    }
}
