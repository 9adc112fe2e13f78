/// A context that ends when its container closes.
protocol EndingContext: AnyObject, Sendable {
    /// Removes all objects for good.
    func end() async
}
