import Foundation
import Tributary

extension ObjectSnapshot {
    func coded() throws -> ObjectSnapshot {
        try JSONDecoder().decode(ObjectSnapshot.self, from: JSONEncoder().encode(self))
    }
}
