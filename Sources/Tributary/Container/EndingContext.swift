/// A context that ends when its container closes.
protocol EndingContext: AnyObject, Sendable {
    /// Forgets all objects for good.
    func end() async
}
