import Testing
import TributaryAdmin

/// Values in a path and in a query are percent-encoded, byte by byte.
@Suite struct AdminPathTests {
    @Test func everyByteButTheUnreservedCharactersIsEncoded() {
        let unreserved = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        let characters =
            (0..<128).map { Character(Unicode.Scalar(UInt8($0))) } + ["é", "€", "🌊", "\u{10FFFF}"]
        for character in characters {
            let bytes = String(character).utf8.map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count == 1 ? "0" : "") + digits
            }
            let encoded = unreserved.contains(character) ? String(character) : bytes.joined()
            #expect(AdminPath.objects.target([String(character)], query: []) == "/v1/objects/" + encoded)
            #expect(AdminPath.status.target([], query: [("a", String(character))]) == "/v1/status?a=" + encoded)
        }
    }

    @Test func eachNameIsReplacedInOrder() {
        #expect(AdminPath.retrySegment.target(["w", "1-2"], query: []) == "/v1/segments/w/1-2/retry")
        #expect(AdminPath.objects.target(["{id}"], query: [("a", nil)]) == "/v1/objects/%7Bid%7D")
    }
}
