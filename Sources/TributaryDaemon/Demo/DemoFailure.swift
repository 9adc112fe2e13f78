struct DemoFailure: Error, CustomStringConvertible {
    var reason: String

    var description: String { reason }
}
