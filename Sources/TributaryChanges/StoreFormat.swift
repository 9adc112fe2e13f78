/// What tells a store from other files of SQLite, in the header of its file.
package enum StoreFormat {
    /// "TRIB", the application ID.
    package static let applicationID: Int32 = 0x5452_4942
    /// The version of the layout; it grows with each change that earlier code cannot read.
    ///
    /// Versions before 8 were never released.
    package static let version: Int32 = 8

    /// Why a store with a version of the layout is refused; nil when it is this one.
    package static func refusal(of found: Int32) -> String? {
        guard found <= version else { return "was written by a newer version (format \(found))" }
        return found == version
            ? nil : "has format \(found), which no release has written; this program needs format \(version)"
    }
}
