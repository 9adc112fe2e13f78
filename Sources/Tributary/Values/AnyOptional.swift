/// An optional of any wrapped type.
protocol AnyOptional {
    /// The wrapped value.
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    var wrapped: Any? { self }
}
