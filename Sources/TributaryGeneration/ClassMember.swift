import TributaryModel

struct ClassMember {
    let property: Property
    /// The name without backticks, equal in the class, its keys and its snapshot.
    let name: String
    let isOwn: Bool
    /// The snapshot's name for the ID of a to-one relationship's destination.
    var idName: String?

    var escaped: String { SwiftName.escaped(name) }
}
