import TributaryModel

/// A property of a class and its name in Swift.
struct ClassMember {
    let property: Property
    /// The name without backticks, equal in the class, its keys and its snapshot.
    let name: String
    /// Whether the entity itself declares the property.
    let isOwn: Bool
    /// The snapshot's name for the ID of a to-one relationship's destination.
    var idName: String?

    var escaped: String { SwiftName.escaped(name) }
}
