/// An optional of whatever type.
protocol AnyOptional {
    /// What is wrapped.
    var wrapped: Any? { get }
    /// The type of what is wrapped.
    static var wrappedType: Any.Type { get }
}

extension Optional: AnyOptional {
    var wrapped: Any? { self }
    static var wrappedType: Any.Type { Wrapped.self }
}
