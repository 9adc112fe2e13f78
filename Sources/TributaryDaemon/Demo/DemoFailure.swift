/// An error that ended the demo.
package struct DemoFailure: Error, CustomStringConvertible {
    package var reason: String

    package var description: String { reason }
}
