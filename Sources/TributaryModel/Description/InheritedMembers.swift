/// The members of `ManagedObject` and of its protocols, which hide a property of the same name in a class.
package enum InheritedMembers {
    package static let names: Set<String> = [
        "add", "awake", "awakeFromFetch", "awakeFromInsert", "changedObjectIDs", "changedValues",
        "changedValuesForCurrentEvent", "committedValues", "debugDescription", "declaredFields",
        "declaresEveryProperty", "delete", "description", "didSave", "didTurnIntoFault", "entityName", "faultError",
        "hasChanges", "hasPersistentChangedValues", "hash", "hashValue", "insert", "isDeleted", "isFault", "isInserted",
        "isUpdated", "link", "load", "managedObjectContext", "move", "objectID", "objectIDs", "objects",
        "predicateArgument", "prepareForDeletion", "refresh", "remove", "replace", "set", "setObjects",
        "setTransformed", "setValue", "snapshot", "state", "transformed", "uniqueID", "unlink", "update", "updates",
        "validateForDelete", "validateForInsert", "validateForUpdate", "validateValue", "value", "willSave",
        "willTurnIntoFault",
    ]
}
