import COpenSSL

/// A SHA-256 over bytes that come in portions, computed by the system's libcrypto.
///
/// A copy goes on by itself: what one of them takes afterwards, the other does not have.
package struct SHA256: Sendable {
    /// The 32 bytes of a hash.
    package struct Digest: Hashable, Sendable {
        package let bytes: [UInt8]

        /// Lower-case hexadecimal digits.
        package var hexadecimal: String {
            let digits = Array("0123456789abcdef".utf8)
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count * 2)
            for byte in bytes {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 0xF)])
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private var state = State()

    package init() {}

    /// The hash of `data` alone.
    package static func hash(data: some Sequence<UInt8>) -> Digest {
        var hash = SHA256()
        hash.update(data: data)
        return hash.finalize()
    }

    package mutating func update(data: some Sequence<UInt8>) {
        if data.withContiguousStorageIfAvailable({ update(bufferPointer: UnsafeRawBufferPointer($0)) }) == nil {
            Array(data).withUnsafeBytes { update(bufferPointer: $0) }
        }
    }

    package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = State(copying: state) }
        state.update(bytes)
    }

    /// The digest of everything taken so far; more may follow.
    package func finalize() -> Digest { State(copying: state).finish() }

    /// What libcrypto keeps of a hash that is not at its end.
    ///
    /// `@unchecked Sendable`: changed only by the one value that holds it, which copies it first when there are two.
    private final class State: @unchecked Sendable {
        /// The algorithm, from a library context of our own: no `openssl.cnf` of the machine takes it away, and nothing
        /// of it ends before the process does, so that what is saved at the exit is hashed as well.
        nonisolated(unsafe) private static let algorithm: OpaquePointer = {
            let settings = UInt64(OPENSSL_INIT_NO_LOAD_CONFIG) | UInt64(OPENSSL_INIT_NO_ATEXIT)
            guard OPENSSL_init_crypto(settings, nil) == 1, let library = OSSL_LIB_CTX_new(),
                let algorithm = EVP_MD_fetch(library, "SHA2-256", nil)
            else { fatalError("libcrypto offers no SHA-256") }
            return algorithm
        }()

        private let context: OpaquePointer

        init() {
            context = Self.newContext()
            Self.require(EVP_DigestInit_ex2(context, Self.algorithm, nil))
        }

        init(copying other: State) {
            context = Self.newContext()
            Self.require(EVP_MD_CTX_copy_ex(context, other.context))
        }

        deinit { EVP_MD_CTX_free(context) }

        func update(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress else { return }
            Self.require(EVP_DigestUpdate(context, start, bytes.count))
        }

        /// The digest; the state is used up.
        func finish() -> Digest {
            Digest(
                bytes: [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
                    var length: UInt32 = 0
                    Self.require(EVP_DigestFinal_ex(context, buffer.baseAddress, &length))
                    count = Int(length)
                }
            )
        }

        private static func newContext() -> OpaquePointer {
            guard let context = EVP_MD_CTX_new() else { fatalError("libcrypto has no memory for a SHA-256") }
            return context
        }

        /// SHA-256 refuses nothing; only memory can be missing.
        private static func require(_ answer: Int32) {
            guard answer == 1 else { fatalError("libcrypto has no memory for a SHA-256") }
        }
    }
}
