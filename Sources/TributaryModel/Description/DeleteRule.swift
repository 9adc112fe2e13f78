/// The effect of deleting an object on the objects at the other end of a relationship.
public enum DeleteRule: String, Sendable, CaseIterable {
    /// The inverse relationship of those objects is set to nil or loses the deleted object.
    case nullify = "Nullify"
    /// Those objects are deleted too.
    case cascade = "Cascade"
    /// The object cannot be deleted while the relationship has objects.
    case deny = "Deny"
    /// Those objects are not written; their inverse relationship reads as empty.
    case noAction = "No Action"
}
