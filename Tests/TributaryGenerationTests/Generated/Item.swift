// Made by `tributaryctl model generate Archive.yaml`; changes are lost when it runs again.
// swift-format-ignore-file

import Tributary

/// An object of a sub-entity of `Item`.
class Item: ManagedObject {
    /// The entity's name in the model.
    override class var entityName: String {
        "Item"
    }

    /// The key of `title`.
    static let title = Field<String>("title")
    /// The key of `class`.
    static let `class` = Field<String?>("class")
    /// The key of `isDeleted`.
    static let isDeleted_ = Field<Bool>("isDeleted")
    /// The key of `shelf`.
    static let shelf = ToOne<Shelf>("shelf")

    /// The keys that the class declares, for the container to check against the model.
    override class var declaredFields: [any DeclaredField] {
        [
            title,
            `class`,
            isDeleted_,
            shelf,
        ]
    }

    /// The attribute `title`.
    var title: String {
        get { self[Item.title] }
        set { self[Item.title] = newValue }
    }

    /// The attribute `class`.
    var `class`: String? {
        get { self[Item.`class`] }
        set { self[Item.`class`] = newValue }
    }

    /// The attribute `isDeleted`.
    var isDeleted_: Bool {
        get { self[Item.isDeleted_] }
        set { self[Item.isDeleted_] = newValue }
    }

    /// The relationship `shelf`.
    var shelf: Shelf? {
        get { self[Item.shelf] }
        set { self[Item.shelf] = newValue }
    }

    /// The values of an object, which may cross contexts and processes.
    struct Snapshot: TypedSnapshot {
        /// Whose values they are.
        var objectID: ManagedObjectID
        /// The attribute `title`.
        var title: String
        /// The attribute `class`.
        var `class`: String?
        /// The attribute `isDeleted`.
        var isDeleted_: Bool
        /// The object that the relationship `shelf` leads to.
        var shelfID: ManagedObjectID?

        /// The values of the object now.
        init(_ object: Item) {
            objectID = object.objectID
            self.title = object.title
            self.`class` = object.`class`
            self.isDeleted_ = object.isDeleted_
            self.shelfID = object[idOf: Item.shelf]
        }

        /// Sets the object's attributes and to-one relationships; derived ones stay.
        func write(to object: Item) {
            object.title = self.title
            object.`class` = self.`class`
            object.isDeleted_ = self.isDeleted_
            object[idOf: Item.shelf] = self.shelfID
        }

        /// The model's name of the property that a key path leads to.
        static func propertyName(of path: PartialKeyPath<Self>) -> String? {
            switch path {
            case \Self.title: "title"
            case \Self.`class`: "class"
            case \Self.isDeleted_: "isDeleted"
            case \Self.shelfID: "shelf"
            default: nil
            }
        }
    }

    /// The object as a value.
    func snapshot() -> Snapshot {
        Snapshot(self)
    }
}
