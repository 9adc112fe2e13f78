import Foundation
import Glibc
import TributaryChanges

/// Marks a store that `tributaryctl restore` has begun to restore; the daemon completes it and removes the file.
package struct RestoreMarker: Hashable, Sendable, Codable {
    /// Unix milliseconds.
    package var restored: UInt64
    package var sha256: String
    /// The file name of the former store, when a new store will be built from the log folder.
    package var former: String?
    package var aside: String?

    package init(restored: UInt64, sha256: String, former: String? = nil, aside: String? = nil) {
        self.former = former
        self.aside = aside
        self.restored = restored
        self.sha256 = sha256
    }

    package static let largest = 64 << 10

    package static func path(besideStore store: String) -> String { store + ".restored" }

    package var bytes: [UInt8] {
        get throws { try Array(JSONEncoder().encode(self)) + [UInt8(ascii: "\n")] }
    }

    package init(bytes: [UInt8]) throws { self = try JSONDecoder().decode(RestoreMarker.self, from: Data(bytes)) }

    package static func read(besideStore store: String) throws -> RestoreMarker? {
        do {
            return try RestoreMarker(bytes: FileFailure.bytes(of: path(besideStore: store), limit: largest))
        } catch let failure as FileFailure where failure.code == ENOENT {
            return nil
        }
    }
}
