/// Why the demo did not come to its end.
package struct DemoFailure: Error, CustomStringConvertible {
    package var reason: String

    package var description: String { reason }
}
