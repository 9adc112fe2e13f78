/// What deleting an object does to the objects at the other end of a relationship.
public enum DeleteRule: String, Sendable, CaseIterable {
    /// They lose their way back to it.
    case nullify = "Nullify"
    /// They are deleted too.
    case cascade = "Cascade"
    /// While there are any, the object cannot be deleted.
    case deny = "Deny"
    /// Nothing; their way back reads as nothing.
    case noAction = "No Action"
}
