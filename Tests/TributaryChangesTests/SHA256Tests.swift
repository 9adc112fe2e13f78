import Testing
import TributaryChanges

/// The vectors of FIPS 180-4, and hashes of portions.
@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func hashes(_ text: String, _ expected: String) {
        #expect(SHA256.hash(data: text.utf8).hexadecimal == expected)
        #expect(SHA256.hash(data: Array(text.utf8)).hexadecimal == expected)
        #expect(SHA256.hash(data: AnySequence(text.utf8)).hexadecimal == expected)
        for portion in [1, 63, 64, 65] where text.utf8.count < 100 {
            var hash = SHA256()
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                hash.update(data: rest.prefix(portion))
                rest = rest.dropFirst(portion)
            }
            #expect(hash.finalize().hexadecimal == expected)
        }
    }

    @Test func `a copy goes on by itself`() {
        var first = SHA256()
        first.update(data: "a".utf8)
        var second = first
        second.update(data: "x".utf8)
        first.update(data: "b".utf8)
        #expect(first.finalize() == SHA256.hash(data: "ab".utf8))
        // The digest can be read before the end.
        #expect(second.finalize() == SHA256.hash(data: "ax".utf8))
        second.update(data: "y".utf8)
        #expect(second.finalize() == SHA256.hash(data: "axy".utf8))
        #expect(first.finalize() == SHA256.hash(data: "ab".utf8))
    }
}
