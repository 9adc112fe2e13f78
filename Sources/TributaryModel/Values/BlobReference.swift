import TributaryChanges

/// A reference to bytes in a file of the log folder: `{"blob":"<sha256>","size":N}`.
struct BlobReference {
    let sha256: String
    let size: Int64

    /// Reads a reference; nil unless `json` has exactly these two members, with the hash in lower-case hexadecimal.
    init?(_ json: JSONValue) {
        guard case .object(let members) = json, members.count == 2,
            case .string(let hash)? = json["blob"], case .integer(let size)? = json["size"], size >= 0,
            hash.utf8.count == 64, isLowerHexadecimal(hash)
        else { return nil }
        sha256 = hash
        self.size = size
    }

    var value: PropertyValue { .blob(sha256: sha256, size: size) }
}
