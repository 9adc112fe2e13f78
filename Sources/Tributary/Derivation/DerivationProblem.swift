/// A derived attribute that cannot be computed.
public struct DerivationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The entity that declares the attribute.
    public var entity: String
    /// The derived attribute.
    public var attribute: String
    /// Its expression, as the model states it.
    public var expression: String
    /// The problem, in words.
    public var reason: String

    /// The entity, the attribute, the expression and the problem.
    public var description: String {
        "\(entity).\(attribute) is derived by '\(expression)', which cannot be computed: \(reason)"
    }

    /// The expressions that a save can compute, in words.
    public static let understood = """
        understood are now(), NAME, TO_ONE.NAME, canonical:(…), lowercase:(…) and uppercase:(…) of either, \
        TO_MANY.@count, and TO_MANY.@sum.NAME, @min, @max, also written sum:(TO_MANY.NAME)
        """
}
