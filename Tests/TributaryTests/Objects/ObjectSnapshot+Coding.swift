import Foundation
import Tributary

extension ObjectSnapshot {
    /// The same, written as JSON and read again.
    func coded() throws -> ObjectSnapshot {
        try JSONDecoder().decode(ObjectSnapshot.self, from: JSONEncoder().encode(self))
    }
}
