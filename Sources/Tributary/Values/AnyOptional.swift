/// An optional of any wrapped type.
protocol AnyOptional {
    /// The wrapped value.
    var wrapped: Any? { get }
    /// The type of the wrapped value.
    static var wrappedType: Any.Type { get }
}

extension Optional: AnyOptional {
    var wrapped: Any? { self }
    static var wrappedType: Any.Type { Wrapped.self }
}
