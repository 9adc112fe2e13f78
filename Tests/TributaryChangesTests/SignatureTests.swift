import Testing
import TributaryChanges

@Suite struct SignatureTests {
    /// The second test vector of RFC 8032, section 7.1.
    @Test func aSignatureIsThatOfTheSpecification() throws {
        let seed = try #require(
            hexadecimalBytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", count: 32)
        )
        let key = try #require(SigningKey(seed: seed))
        #expect(key.publicKey.description == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        let signature = key.sign([0x72])
        #expect(
            signature.value == "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        )
        #expect(signature.isValid(of: [0x72]) && !signature.isValid(of: [0x73]) && !signature.isValid(of: []))
        let other = try #require(Signature(key: SigningKey.generate().publicKey.description, value: signature.value))
        #expect(!other.isValid(of: [0x72]))
    }

    @Test func aKeyIsReadAsItWasWritten() throws {
        let key = SigningKey.generate()
        let text = String(decoding: key.pem, as: UTF8.self)
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n") && text.hasSuffix("-----END PRIVATE KEY-----\n"))
        #expect(SigningKey(pem: key.pem)?.publicKey == key.publicKey)
        #expect(SigningKey.generate().publicKey != key.publicKey)
    }

    /// Nothing from outside makes the process end or wait for a passphrase.
    @Test func whatIsNoKeyIsRefused() {
        let key = SigningKey.generate().pem
        #expect(SigningKey(pem: []) == nil && SigningKey(pem: Array(key.dropLast(60))) == nil)
        #expect(SigningKey(pem: Array(repeating: 0x41, count: 4_096)) == nil)
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgGBwgJCgsMDQICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAABAgMEBQYHCAkKCwwNDg8EQAAB
            -----END ENCRYPTED PRIVATE KEY-----

            """
        #expect(SigningKey(pem: Array(encrypted.utf8)) == nil)
        #expect(SigningKey(seed: []) == nil)
        for text in ["", "zz", String(repeating: "g", count: 64), String(repeating: "é", count: 32)] {
            #expect(PublicKey(text) == nil)
            #expect(Signature(key: text, value: String(repeating: "0", count: 128)) == nil)
        }
        // A point that is not on the curve.
        let none = Signature(key: "02" + String(repeating: "0", count: 62), value: String(repeating: "0", count: 128))
        #expect(none?.isValid(of: [1]) == false)
    }

    /// Anybody can sign for a key of small order, and a key with two texts could be revoked under one of them only.
    @Test func aKeyOfSmallOrderOrInAnotherEncodingIsNoKey() {
        let (zeros, ones) = (String(repeating: "0", count: 60), String(repeating: "f", count: 60))
        // The last byte without the sign; the two members have order 8.
        let small = [
            ("00" + zeros, 0), ("01" + zeros, 0), ("ec" + ones, 0x7F),
            ("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc", 0x05),
            ("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03", 0x7A),
        ]
        // Coordinates from the prime on: 0, 1, 2, and the greatest that fits.
        let noncanonical = ["ed", "ee", "ef", "ff"].map { ($0 + ones, 0x7F) }
        for (start, last) in small + noncanonical {
            for sign in [0, 0x80] {
                let end = String(last | sign, radix: 16)
                let text = start + (end.count == 1 ? "0" : "") + end
                #expect(PublicKey(text) == nil, "\(text)")
                #expect(Signature(key: text, value: String(repeating: "0", count: 128)) == nil)
            }
        }
        // The coordinates beside them.
        #expect(PublicKey("eb" + ones + "7f") != nil && PublicKey("02" + zeros + "00") != nil)
        for _ in 0..<20 {
            let key = SigningKey.generate().publicKey
            #expect(PublicKey(key.description) == key)
        }
    }
}
