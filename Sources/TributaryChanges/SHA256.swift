import COpenSSL

package struct SHA256: Sendable {
    package struct Digest: Hashable, Sendable {
        package let bytes: [UInt8]

        package var hexadecimal: String { hexadecimalText(bytes) }
    }

    private var state = State()

    package init() {}

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

    package func finalize() -> Digest { State(copying: state).finish() }

    /// `@unchecked Sendable`: only the one value that owns the state changes it; a second owner copies it first.
    private final class State: @unchecked Sendable {
        /// From a separate library context, so that no `openssl.cnf` can disable it; used also while the process exits.
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

        private static func require(_ answer: Int32) {
            guard answer == 1 else { fatalError("libcrypto has no memory for a SHA-256") }
        }
    }
}
