import TestSupport
import TransactionLog
import TributaryChanges

/// Segments that have come to harm.
enum SegmentMutation {
    private static let pieces =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "\r", " ", "0", "-", "1e5", ".5", "null", "true", "\\u00",
            "\\ud83d",
            "\u{0}", "é", "9223372036854775808", "\"seen\":{},", "\"x\":[[[[[[[]]]]]]],", "1700000000.12345678901",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x80], [0xED, 0xA0, 0x80]]

    /// The bytes of a segment with a few changes; the end line's hash mostly fits what is before it.
    static func mutated(_ segment: SegmentText, _ random: inout SeededGenerator) -> [UInt8] {
        var body = segment.body
        var end = segment.endLine(of: body)
        let kind = Int.random(in: 0..<10, using: &random)
        if kind > 0 {
            for _ in 0..<Int.random(in: 1...2, using: &random) { mutate(&body, &random) }
        }
        switch kind {
        case 1: break
        case 2: mutate(&end, &random)
        case 3:
            let whole = body + end
            return Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
        default: end = segment.endLine(of: body)
        }
        return body + end
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let piece = pieces.randomElement(using: &random) ?? []
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: piece, at: place)
        default:
            // A digit, so that lines stay what they are and numbers change.
            if let digit = bytes[place...].firstIndex(where: { (0x30...0x39).contains($0) }) {
                bytes.replaceSubrange(digit...digit, with: piece)
            }
        }
    }
}
