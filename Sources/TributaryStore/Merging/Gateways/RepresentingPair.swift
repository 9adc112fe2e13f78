/// A pair that a many-to-many relationship shows for pairs with shadows; see ``ShadowLinks``.
struct RepresentingPair {
    /// Its position; nil when the relationship is not ordered.
    var position: String?
}
