import TributaryChanges

extension PropertyValue {
    /// Reads a reference to bytes in a file of the log folder: `{"blob":"<sha256>","size":N}`.
    ///
    /// Nil unless `json` has exactly these two members, with the hash in lower-case hexadecimal.
    init?(blobReference json: JSONValue) {
        guard case .object(let members) = json, members.count == 2,
            case .string(let hash)? = json["blob"], case .integer(let size)? = json["size"], size >= 0,
            isSHA256(hash)
        else { return nil }
        self = .blob(sha256: hash, size: size)
    }
}
