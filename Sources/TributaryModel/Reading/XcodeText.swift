import TributaryChanges

/// Defaults and bounds as they stand in models that Xcode takes, read as Core Data reads them.
///
/// Models of many years have `NO` as the default of numbers, fractions as the default of integers, words such as `today`
/// as the default of dates, and bounds where there can be none. What is read in such a way is counted for one remark each.
struct XcodeText {
    /// How a text was read that is no plain value of its type.
    enum Reading: Int, CaseIterable, Comparable {
        case wordAsNumber, fractionCut, numberAsBoolean, valueLeftOut, boundLeftOut

        static func < (left: Reading, right: Reading) -> Bool { left.rawValue < right.rawValue }
    }

    private var elements: [Reading: [(element: String, line: Int)]] = [:]

    /// The value of a default; null when it is left out, nil when the text cannot be meant.
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

    /// The value of a bound; null when it bounds nothing, nil when the text cannot be meant.
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
            // Beyond all values of the type on its own side it forbids none of them.
            guard isMaximum == (number > 0) else { return nil }
            elements[.boundLeftOut, default: []].append((element, line))
            return .null
        }
        guard !type.hasBounds else { return XcodeText.number(word: text, type) }
        elements[.boundLeftOut, default: []].append((element, line))
        return .null
    }

    /// One remark for each way of reading that was needed, with the line of the first place.
    var remarks: [(text: String, line: Int)] {
        elements.sorted { $0.key < $1.key }.compactMap { reading, places in
            guard let first = places.first else { return nil }
            let others = places.count == 1 ? "" : " and \(places.count - 1) more"
            return ("\(first.element)\(others): \(reading.words)", first.line)
        }
    }

    private func number(_ text: String, _ type: AttributeType) -> (Reading, PropertyValue?) {
        if let value = XcodeText.number(word: text, type) { return (.wordAsNumber, value) }
        guard type.isInteger, let number = Double(text), number.isFinite else { return (.fractionCut, nil) }
        let whole = Int64(exactly: number.rounded(.towardZero)).map(PropertyValue.integer)
        return (.fractionCut, whole.flatMap { type.holds($0) ? $0 : nil })
    }

    /// YES and NO as 1 and 0.
    private static func number(word: String, _ type: AttributeType) -> PropertyValue? {
        switch word.lowercased() {
        case "yes", "true": type.value(fromModelText: "1")
        case "no", "false": type.value(fromModelText: "0")
        default: nil
        }
    }

    /// Any number but 0 is true, as are the first letters of the words.
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
        case .valueLeftOut: "the default is no value of the type and is left out"
        case .boundLeftOut: "a bound that no value can pass is left out"
        }
    }
}

extension AttributeType {
    /// Whether its values can have a least and a greatest one.
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
