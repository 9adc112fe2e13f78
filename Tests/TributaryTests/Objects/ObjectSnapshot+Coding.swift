import Foundation
import Tributary

extension ObjectSnapshot {
    /// The snapshot, encoded as JSON and decoded.
    func coded() throws -> ObjectSnapshot {
        try JSONDecoder().decode(ObjectSnapshot.self, from: JSONEncoder().encode(self))
    }
}
