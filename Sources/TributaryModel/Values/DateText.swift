import Glibc

package enum DateText {
    package static func unixSeconds(_ text: String) -> Double? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, digits: 4), consume("-", from: &rest), let month = number(&rest, digits: 2),
            consume("-", from: &rest), let day = number(&rest, digits: 2),
            let midnight = midnight(year: year, month: month, day: day)
        else { return nil }
        if rest.isEmpty { return midnight }
        guard consume("T", from: &rest) || consume(" ", from: &rest), let hour = number(&rest, digits: 2),
            consume(":", from: &rest), let minute = number(&rest, digits: 2), hour < 24, minute < 60
        else { return nil }
        var seconds = Double(hour * 3600 + minute * 60)
        if consume(":", from: &rest) {
            guard let second = number(&rest, digits: 2), second < 60 else { return nil }
            seconds += Double(second)
            if consume(".", from: &rest) {
                let digits = rest.prefix { isDigit($0) }
                guard !digits.isEmpty, let fraction = Double("0." + String(decoding: digits, as: UTF8.self)) else {
                    return nil
                }
                seconds += fraction
                rest = rest.dropFirst(digits.count)
            }
        }
        if consume("Z", from: &rest) { return rest.isEmpty ? midnight + seconds : nil }
        guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let hours = number(&rest, digits: 2)
        else { return nil }
        _ = consume(":", from: &rest)
        guard let minutes = number(&rest, digits: 2), rest.isEmpty, hours < 24, minutes < 60 else { return nil }
        let offset = Double(hours * 3600 + minutes * 60)
        return midnight + seconds + (sign == UInt8(ascii: "+") ? -offset : offset)
    }

    private static func midnight(year: Int, month: Int, day: Int) -> Double? {
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        let seconds = timegm(&date)
        // A day beyond the end of its month has become a day of the next month.
        return date.tm_mon == month - 1 && date.tm_mday == day ? Double(seconds) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ bytes: inout ArraySlice<UInt8>, digits: Int) -> Int? {
        let text = bytes.prefix(digits)
        guard text.count == digits, text.allSatisfy(isDigit) else { return nil }
        bytes = bytes.dropFirst(digits)
        return Int(String(decoding: text, as: UTF8.self))
    }

    private static func consume(_ character: Unicode.Scalar, from bytes: inout ArraySlice<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes = bytes.dropFirst()
        return true
    }
}
