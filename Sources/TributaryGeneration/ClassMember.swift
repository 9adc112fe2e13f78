import TributaryModel

/// A property of a class with its name in Swift.
struct ClassMember {
    let property: Property
    /// Without backticks, the same in the class, its keys and its snapshot.
    let name: String
    /// Whether the entity declares it, or inherits it.
    let isOwn: Bool
    /// The to-one ID's name in the snapshot.
    var idName: String?

    var escaped: String { SwiftName.escaped(name) }
}
