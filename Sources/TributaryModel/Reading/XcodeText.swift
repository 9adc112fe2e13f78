import TributaryChanges

/// Like Core Data, reads the values that old versions of Xcode have written, such as `NO` as the default of a number.
struct XcodeText {
    enum Reading: Int, CaseIterable, Comparable {
        case wordAsNumber, fractionCut, numberAsBoolean, valueLeftOut, boundLeftOut

        static func < (left: Reading, right: Reading) -> Bool { left.rawValue < right.rawValue }
    }

    private var elements: [Reading: [(element: String, line: Int)]] = [:]

    mutating func value(_ text: String, of type: AttributeType, element: String, line: Int) -> PropertyValue? {
        if type == .string { return .string(text) }
        let text = text.trimmed
        if text.isEmpty { return .null }
        if let value = type.value(fromModelText: text) { return value }
        let (reading, value): (Reading, PropertyValue?) =
            switch type {
            case .integer16, .integer32, .integer64, .double, .float, .decimal: number(text, type)
            case .boolean: (.numberAsBoolean, XcodeText.boolean(text))
            case .date, .uuid: (.valueLeftOut, .null)
            default: (.valueLeftOut, nil)
            }
        if value != nil { elements[reading, default: []].append((element, line)) }
        return value
    }

    mutating func bound(
        _ text: String,
        isMaximum: Bool,
        of attributeType: AttributeType,
        element: String,
        line: Int
    ) -> PropertyValue? {
        let type = attributeType == .string ? AttributeType.integer64 : attributeType
        let text = text.trimmed
        if text.isEmpty { return .null }
        if type.hasBounds, let value = type.value(fromModelText: text) { return value }
        if type.isInteger, let number = Double(text), number.isFinite {
            let whole = number.rounded(isMaximum ? .down : .up)
            if let value = Int64(exactly: whole).map(PropertyValue.integer), type.holds(value) {
                elements[.fractionCut, default: []].append((element, line))
                return value
            }
            // A bound outside the range of the type excludes no value when it is on its own side of the range.
            guard isMaximum == (number > 0) else { return nil }
            elements[.boundLeftOut, default: []].append((element, line))
            return .null
        }
        guard !type.hasBounds else { return XcodeText.number(word: text, type) }
        elements[.boundLeftOut, default: []].append((element, line))
        return .null
    }

    var notices: [(text: String, line: Int)] {
        elements.sorted { $0.key < $1.key }.compactMap { reading, occurrences in
            guard let first = occurrences.first else { return nil }
            let others = occurrences.count == 1 ? "" : " and \(occurrences.count - 1) more"
            return ("\(first.element)\(others): \(reading.words)", first.line)
        }
    }

    private func number(_ text: String, _ type: AttributeType) -> (Reading, PropertyValue?) {
        if let value = XcodeText.number(word: text, type) { return (.wordAsNumber, value) }
        guard type.isInteger, let number = Double(text), number.isFinite else { return (.fractionCut, nil) }
        let whole = Int64(exactly: number.rounded(.towardZero)).map(PropertyValue.integer)
        return (.fractionCut, whole.flatMap { type.holds($0) ? $0 : nil })
    }

    private static func number(word: String, _ type: AttributeType) -> PropertyValue? {
        switch word.lowercased() {
        case "yes", "true": type.value(fromModelText: "1")
        case "no", "false": type.value(fromModelText: "0")
        default: nil
        }
    }

    /// Any number but 0 is true; words are read by their first letter.
    private static func boolean(_ text: String) -> PropertyValue? {
        switch text.lowercased() {
        case "y", "t": .boolean(true)
        case "n", "f": .boolean(false)
        default: Double(text).map { .boolean($0 != 0) }
        }
    }
}

extension XcodeText.Reading {
    fileprivate var words: String {
        switch self {
        case .wordAsNumber: "the default of a number is YES or NO, which is read as 1 or 0"
        case .fractionCut: "a whole number has a fraction, which is cut"
        case .numberAsBoolean: "the default of a boolean is a number or a letter; 0, N and F are read as NO"
        case .valueLeftOut: "the default does not fit the type and is left out"
        case .boundLeftOut: "a bound that no value can pass is left out"
        }
    }
}

extension AttributeType {
    fileprivate var hasBounds: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .decimal, .date, .string: true
        case .boolean, .binary, .transformable, .uuid, .uri, .composite, .undefined: false
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension AttributeType {
    /// Lenient: `YES` is true, `0.0` an integer.
    func value(fromModelText text: String) -> PropertyValue? {
        switch self {
        case .string: return .string(text)
        case .uri: return .uri(text)
        case .integer16, .integer32, .integer64:
            let whole = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
            return whole.map(PropertyValue.integer).flatMap { holds($0) ? $0 : nil }
        case .double, .float:
            return Double(text).flatMap { numberValue($0) }
        case .decimal: return DecimalText.canonical(text).map(PropertyValue.decimal)
        case .boolean:
            switch text.lowercased() {
            case "yes", "true", "1": return .boolean(true)
            case "no", "false", "0": return .boolean(false)
            default: return nil
            }
        case .date: return (DateText.unixSeconds(text) ?? Double(text)).flatMap { numberValue($0) }
        case .uuid: return UniqueID(text).map(PropertyValue.uuid)
        case .binary, .transformable: return Base64.decode(text).map(PropertyValue.binary)
        case .composite, .undefined: return nil
        }
    }

    func bound(fromModelText text: String) -> PropertyValue? {
        (self == .string ? AttributeType.integer64 : self).value(fromModelText: text)
    }
}
