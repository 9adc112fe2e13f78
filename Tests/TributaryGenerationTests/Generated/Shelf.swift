// Made by `tributaryctl model generate Archive.yaml`; changes are lost when it runs again.
// swift-format-ignore-file

import Tributary

/// An object of the entity `Shelf`.
final class Shelf: ManagedObject {
    /// The entity's name in the model.
    override class var entityName: String {
        "Shelf"
    }

    /// The key of `number`.
    static let number = Field<Int16>("number")
    /// The key of `id`.
    static let id = Field<Int64?>("id")
    /// The key of `loans`.
    static let loans = Field<Int>("loans")
    /// The key of `visits`.
    static let visits = Field<Int?>("visits")
    /// The key of `items`.
    static let items = ToMany<Item>("items")

    /// The keys that the class declares, for the container to check against the model.
    override class var declaredFields: [any DeclaredField] {
        [
            number,
            id,
            loans,
            visits,
            items,
        ]
    }

    /// The attribute `number`.
    var number: Int16 {
        get { self[Shelf.number] }
        set { self[Shelf.number] = newValue }
    }

    /// The attribute `id`.
    var id: Int64? {
        get { self[Shelf.id] }
        set { self[Shelf.id] = newValue }
    }

    /// The attribute `loans`.
    var loans: Int {
        get { self[Shelf.loans] }
        set { self[Shelf.loans] = newValue }
    }

    /// The attribute `visits`.
    var visits: Int? {
        get { self[Shelf.visits] }
        set { self[Shelf.visits] = newValue }
    }

    /// The relationship `items`.
    var items: Set<Item> {
        get { Set(self[Shelf.items]) }
        set { self[Shelf.items] = newValue.sorted { $0.uniqueID < $1.uniqueID } }
    }

    /// The values of an object, which may cross contexts and processes.
    struct Snapshot: TypedSnapshot {
        /// Whose values they are.
        var objectID: ManagedObjectID
        /// The attribute `number`.
        var number: Int16
        /// The attribute `id`.
        var id: Int64?
        /// The attribute `loans`.
        @Counted var loans: Int
        /// The attribute `visits`.
        @Counted var visits: Int?

        /// The values of the object now.
        init(_ object: Shelf) {
            objectID = object.objectID
            self.number = object.number
            self.id = object.id
            self.loans = object.loans
            self.visits = object.visits
        }

        /// Sets the object's attributes and to-one relationships; derived ones stay.
        func write(to object: Shelf) {
            object.number = self.number
            object.id = self.id
            object.set(Shelf.loans, to: $loans, of: objectID)
            object.set(Shelf.visits, to: $visits, of: objectID)
        }

        /// The model's name of the property that a key path leads to.
        static func propertyName(of path: PartialKeyPath<Self>) -> String? {
            switch path {
            case \Self.number: "number"
            case \Self.id: "id"
            case \Self.loans: "loans"
            case \Self.visits: "visits"
            default: nil
            }
        }
    }

    /// The object as a value.
    func snapshot() -> Snapshot {
        Snapshot(self)
    }
}
