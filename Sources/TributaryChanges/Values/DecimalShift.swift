/// Adds integers to decimal texts, exactly.
enum DecimalShift {
    /// More digits than any double has.
    private static let maximumDigits = 1_200
    private static let maximumPower = 400
    /// The digits with a sign, a decimal point and an exponent.
    private static let maximumLength = maximumDigits + 7

    /// `number + offset` with a decimal point; nil when `number` is not a decimal number, or has too many digits.
    static func adding(_ offset: Int64, to number: String) -> String? {
        guard
            let number = DecimalText.Parts(number, maximumLength: maximumLength, maximumPower: maximumPower),
            number.digits.count <= maximumDigits
        else { return nil }
        let digits = Array(String(offset.magnitude).utf8)
        let sum = DecimalText.sum([number, DecimalText.Parts(isNegative: offset < 0, digits: digits, exponent: 0)])
        return sum.exponent < 0 ? sum.text : sum.text + ".0"
    }
}
