@testable import TributaryStore

extension Store {
    /// Pins the current state with a number of connections.
    func pin(connections: Int = 1) throws -> Generation { try move(from: nil, connections: connections) }
}
