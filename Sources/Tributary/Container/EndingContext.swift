/// A context that ends when its container closes.
protocol EndingContext: AnyObject, Sendable {
    func end() async
}
