// Made by `tributaryctl model generate Archive.yaml`; changes are lost when it runs again.
// swift-format-ignore-file

import Tributary

/// An object of the entity `Chapter`.
final class Chapter: ManagedObject {
    /// The entity's name in the model.
    override class var entityName: String {
        "Chapter"
    }

    /// The key of `name`.
    static let name = Field<String>("name")
    /// The key of `books`.
    static let books = ToMany<Book>("books")

    /// The keys that the class declares, for the container to check against the model.
    override class var declaredFields: [any DeclaredField] {
        [
            name,
            books,
        ]
    }

    /// The attribute `name`.
    var name: String {
        get { self[Chapter.name] }
        set { self[Chapter.name] = newValue }
    }

    /// The relationship `books`.
    var books: Set<Book> {
        get { Set(self[Chapter.books]) }
        set { self[Chapter.books] = newValue.sorted { $0.uniqueID < $1.uniqueID } }
    }

    /// The values of an object, which may cross contexts and processes.
    struct Snapshot: TypedSnapshot {
        /// Whose values they are.
        var objectID: ManagedObjectID
        /// The attribute `name`.
        var name: String

        /// The values of the object now.
        init(_ object: Chapter) {
            objectID = object.objectID
            self.name = object.name
        }

        /// Sets the object's attributes and to-one relationships; derived ones stay.
        func write(to object: Chapter) {
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
