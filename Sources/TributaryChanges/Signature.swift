import COpenSSL

package struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    /// Nil for anything but 64 hexadecimal digits, for a key of small order, and for a second encoding of a key.
    ///
    /// Everybody can make signatures for a key of small order, and one signature is valid for many texts. libcrypto
    /// accepts such keys, and also encodings of a coordinate that is not below the prime.
    package init?(_ text: String) {
        guard let bytes = hexadecimalBytes(text, count: 32) else { return nil }
        let coordinate = bytes.dropLast() + [bytes[31] & 0x7F]
        guard coordinate.reversed().lexicographicallyPrecedes(PublicKey.prime.reversed()),
            !PublicKey.smallOrder.contains(Array(coordinate))
        else { return nil }
        self.bytes = bytes
    }

    package static let form = "an Ed25519 public key of 64 hexadecimal digits that is not of small order"

    /// 2^255 - 19, the lowest byte first.
    private static let prime: [UInt8] = [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F]

    /// The coordinates of the eight points with an order that divides 8.
    private static let smallOrder: Set<[UInt8]> = {
        let zeros = [UInt8](repeating: 0, count: 31)
        let orderEight = [
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ]
        return Set([[0] + zeros, [1] + zeros, [0xEC] + prime.dropFirst()])
            .union(orderEight.compactMap { hexadecimalBytes($0, count: 32) })
    }()

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { hexadecimalText(bytes) }
}

package struct Signature: Hashable, Sendable {
    package let key: PublicKey
    package let value: String

    package init?(key: String, value: String) {
        guard let key = PublicKey(key), let bytes = hexadecimalBytes(value, count: 64) else { return nil }
        (self.key, self.value) = (key, hexadecimalText(bytes))
    }

    fileprivate init(key: PublicKey, bytes: [UInt8]) { (self.key, value) = (key, hexadecimalText(bytes)) }

    package func isValid(of message: some Sequence<UInt8>) -> Bool {
        let bytes = key.bytes
        guard let signature = hexadecimalBytes(value, count: 64),
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count),
            let context = EVP_MD_CTX_new()
        else { return false }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        let message = Array(message)
        return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

package struct SigningKey: Sendable {
    private let seed: [UInt8]
    package let publicKey: PublicKey

    package init?(seed: [UInt8]) {
        guard seed.count == 32, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
            return nil
        }
        defer { EVP_PKEY_free(key) }
        self.init(key)
    }

    package static func generate() -> SigningKey {
        var random = SystemRandomNumberGenerator()
        let seed = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        guard let key = SigningKey(seed: seed) else { fatalError("libcrypto offers no Ed25519") }
        return key
    }

    package init?(pem: [UInt8]) {
        let found = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(input) }
            // A key with a passphrase would ask for it at the terminal; the empty passphrase prevents that.
            var none: CChar = 0
            return PEM_read_bio_PrivateKey(input, nil, nil, &none)
        }
        guard let key = found else { return nil }
        defer { EVP_PKEY_free(key) }
        self.init(key)
    }

    private init?(_ key: OpaquePointer) {
        guard let seed = SigningKey.raw(key, EVP_PKEY_get_raw_private_key),
            let bytes = SigningKey.raw(key, EVP_PKEY_get_raw_public_key),
            EVP_PKEY_is_a(key, "ED25519") == 1
        else { return nil }
        (self.seed, publicKey) = (seed, PublicKey(bytes: bytes))
    }

    private static func raw(
        _ key: OpaquePointer,
        _ read: (OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
    ) -> [UInt8]? {
        var length = 32
        var bytes = [UInt8](repeating: 0, count: length)
        guard read(key, &bytes, &length) == 1, length == 32 else { return nil }
        return bytes
    }

    package var pem: [UInt8] {
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count),
            let output = BIO_new(BIO_s_mem())
        else { fatalError("libcrypto has no memory for a key") }
        defer {
            BIO_free(output)
            EVP_PKEY_free(key)
        }
        guard PEM_write_bio_PrivateKey(output, key, nil, nil, 0, nil, nil) == 1 else {
            fatalError("libcrypto has no memory for a key")
        }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }

    package func sign(_ message: some Sequence<UInt8>) -> Signature {
        let message = Array(message)
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count),
            let context = EVP_MD_CTX_new()
        else { fatalError("libcrypto has no memory for a signature") }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        var length = 64
        var bytes = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &bytes, &length, message, message.count) == 1, length == 64
        else { fatalError("libcrypto has no memory for a signature") }
        return Signature(key: publicKey, bytes: bytes)
    }
}
