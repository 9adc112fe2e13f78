import TributaryChanges

/// `{"blob":"<sha256>","size":N}`: bytes that lie beside the log.
struct BlobReference {
    let sha256: String
    let size: Int64

    /// Nil unless `json` has exactly these two members, the hash in lower-case hexadecimal.
    init?(_ json: JSONValue) {
        guard case .object(let members) = json, members.count == 2,
            case .string(let hash)? = json["blob"], case .integer(let size)? = json["size"], size >= 0,
            hash.utf8.count == 64,
            hash.utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        sha256 = hash
        self.size = size
    }

    var value: PropertyValue { .blob(sha256: sha256, size: size) }
}
