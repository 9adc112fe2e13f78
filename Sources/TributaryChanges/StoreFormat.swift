package enum StoreFormat {
    /// "TRIB".
    package static let applicationID: Int32 = 0x5452_4942
    /// The version of the layout; it grows with each change that earlier code cannot read.
    package static let version: Int32 = 8

    package static func refusal(of found: Int32) -> String? {
        guard found <= version else {
            return "was written by a newer version of Tributary (format \(found); this one reads format \(version)): "
                + "install that version again, or restore a backup that was made before the upgrade"
        }
        return found == version
            ? nil : "has format \(found), which no release has written; this program needs format \(version)"
    }
}
