// Made by `tributaryctl model generate Archive.yaml`; changes are lost when it runs again.
// swift-format-ignore-file

import Tributary

/// An object of the entity `Tag`.
final class Tag: ManagedObject {
    /// The entity's name in the model.
    override class var entityName: String {
        "Tag"
    }

    /// The key of `name`.
    static let name = Field<String>("name")
    /// The key of `items`.
    static let items = ToMany<Item>("items")

    /// The keys that the class declares, for the container to check against the model.
    override class var declaredFields: [any DeclaredField] {
        [
            name,
            items,
        ]
    }

    /// The attribute `name`.
    var name: String {
        get { self[Tag.name] }
        set { self[Tag.name] = newValue }
    }

    /// The relationship `items`.
    var items: Set<Item> {
        get { Set(self[Tag.items]) }
        set { self[Tag.items] = newValue.sorted { $0.uniqueID < $1.uniqueID } }
    }

    /// The values of an object, which may cross contexts and processes.
    struct Snapshot: TypedSnapshot {
        /// Whose values they are.
        var objectID: ManagedObjectID
        /// The attribute `name`.
        var name: String

        /// The values of the object now.
        init(_ object: Tag) {
            objectID = object.objectID
            self.name = object.name
        }

        /// Sets the object's attributes and to-one relationships; derived ones stay.
        func write(to object: Tag) {
            object.name = self.name
        }

        /// The model's name of the property that a key path leads to.
        static func propertyName(of path: PartialKeyPath<Self>) -> String? {
            switch path {
            case \Self.name: "name"
            default: nil
            }
        }
    }

    /// The object as a value.
    func snapshot() -> Snapshot {
        Snapshot(self)
    }
}
