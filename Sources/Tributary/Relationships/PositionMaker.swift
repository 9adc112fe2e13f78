/// Positions are texts that compare by their bytes, with room for another text between any two.
///
/// At either end they continue a count, so that lists that only grow have short positions.
enum PositionMaker {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars)
    /// The first character of a counted position gives the number of its digits: `a` one, `b` two, and so on.
    private static let heads = Array("abcdefghijklmnopqrstuvwxyz".unicodeScalars)

    /// Nil when the limits are equal or adjacent; a nil `low` is the start, a nil `high` the end.
    static func positions(_ count: Int, after low: String?, before high: String?) -> [String]? {
        guard count > 0 else { return [] }
        if high == nil {
            var last = low
            return (0..<count).map { _ in
                let next = counted(after: last)
                last = next
                return next
            }
        }
        guard let middle = between(low ?? "", high) else { return nil }
        let left = (count - 1) / 2
        guard let before = positions(left, after: low ?? "", before: middle),
            let after = positions(count - 1 - left, after: middle, before: high)
        else { return nil }
        return before + [middle] + after
    }

    private static func counted(after last: String?) -> String {
        guard let last, !last.isEmpty else { return "a0" }
        let scalars = Array(last.unicodeScalars)
        guard let head = heads.firstIndex(of: scalars[0]), scalars.count >= head + 2 else {
            return last.unicodeScalars.lexicographicallyPrecedes("a".unicodeScalars) ? "a0" : after(scalars)
        }
        var number = scalars[1...(head + 1)].map { digits.firstIndex(of: $0) }
        guard !number.contains(nil) else { return after(scalars) }
        for place in number.indices.reversed() {
            if let digit = number[place], digit < digits.count - 1 {
                number[place] = digit + 1
                return text([heads[head]] + number.map { digits[$0 ?? 0] })
            }
            number[place] = 0
        }
        guard head + 1 < heads.count else { return after(scalars) }
        return text([heads[head + 1]] + Array(repeating: digits[0], count: head + 2))
    }

    private static func after(_ scalars: [Unicode.Scalar]) -> String {
        between(text(scalars), nil) ?? text(scalars + [digits[digits.count / 2]])
    }

    static func between(_ low: String, _ high: String?) -> String? {
        let lower = Array(low.unicodeScalars)
        let upper = high.map { Array($0.unicodeScalars) }
        var prefix: [Unicode.Scalar] = []
        var isBounded = upper != nil
        var place = 0
        while true {
            let least = place < lower.count ? lower[place] : nil
            let most = isBounded ? upper.flatMap { place < $0.count ? $0[place] : nil } : nil
            if isBounded, most == nil { return nil }
            if let least, let most, least == most {
                prefix.append(least)
                place += 1
                continue
            }
            if let least, let most, least > most { return nil }
            let room = digits.filter { digit in
                (least.map { $0 < digit } ?? true) && (most.map { digit < $0 } ?? true)
            }
            // No text ends with the least digit, because nothing would fit before it.
            let usable = least == nil ? room.filter { $0 != digits[0] } : room
            if !usable.isEmpty { return text(prefix + [usable[usable.count / 2]]) }
            if let least {
                prefix.append(least)
                isBounded = false
            } else if let most {
                guard most > digits[0] else {
                    // The upper text continues with its least digit, so the new text does as well.
                    prefix.append(most)
                    place += 1
                    continue
                }
                prefix.append(digits[0])
                isBounded = false
            } else {
                return text(prefix + [digits[digits.count / 2]])
            }
            place += 1
        }
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
