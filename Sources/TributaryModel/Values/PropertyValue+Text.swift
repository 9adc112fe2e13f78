package import TributaryChanges

extension PropertyValue {
    package var text: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }

    /// Reads `{"blob":"<sha256>","size":N}`, a reference to a file of the log folder; nil unless `json` has exactly
    /// these two members, with the hash in lower-case hexadecimal.
    init?(blobReference json: JSONValue) {
        guard case .object(let members) = json, members.count == 2,
            case .string(let hash)? = json["blob"], case .integer(let size)? = json["size"], size >= 0,
            isSHA256(hash)
        else { return nil }
        self = .blob(sha256: hash, size: size)
    }
}
