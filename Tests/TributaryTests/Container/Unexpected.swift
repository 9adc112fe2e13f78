/// A value that is not of the form that a test goes on with.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ value: some Any) { description = "\(value)" }
}
