import TributaryChanges
import TributaryModel

extension PropertyValue {
    /// Whether this value replaces `other` under the rule `max` or `min`; any value replaces none.
    func beats(_ other: PropertyValue, rule: MergeRule) -> Bool {
        if isNull || other.isNull { return !isNull && other.isNull }
        return rule == .min ? precedes(other) : other.precedes(self)
    }

    /// An order of the values of one attribute that is the same everywhere.
    private func precedes(_ other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.boolean(let left), .boolean(let right)): !left && right
        case (.decimal(let left), .decimal(let right)): PropertyValue.isLess(decimal: left, right)
        case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)),
            (.composite(let left), .composite(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.uuid(let left), .uuid(let right)), (.reference(let left), .reference(let right)): left < right
        case (.binary(let left), .binary(let right)): left.lexicographicallyPrecedes(right)
        default: json.canonicalBytes.lexicographicallyPrecedes(other.json.canonicalBytes)
        }
    }

    /// Compares canonical decimal texts by value.
    private static func isLess(decimal left: String, _ right: String) -> Bool {
        let (leftNegative, rightNegative) = (left.hasPrefix("-"), right.hasPrefix("-"))
        if leftNegative != rightNegative { return leftNegative }
        let order = magnitudeOrder(left.drop { $0 == "-" }, right.drop { $0 == "-" })
        return leftNegative ? order > 0 : order < 0
    }

    private static func magnitudeOrder(_ left: Substring, _ right: Substring) -> Int {
        let leftParts = left.split(separator: ".", omittingEmptySubsequences: false)
        let rightParts = right.split(separator: ".", omittingEmptySubsequences: false)
        let (leftWhole, rightWhole) = (leftParts.first ?? "", rightParts.first ?? "")
        if leftWhole.utf8.count != rightWhole.utf8.count {
            return leftWhole.utf8.count < rightWhole.utf8.count ? -1 : 1
        }
        if leftWhole != rightWhole { return leftWhole < rightWhole ? -1 : 1 }
        let leftFraction = leftParts.count > 1 ? leftParts[1] : ""
        let rightFraction = rightParts.count > 1 ? rightParts[1] : ""
        if leftFraction == rightFraction { return 0 }
        return leftFraction.utf8.lexicographicallyPrecedes(rightFraction.utf8) ? -1 : 1
    }
}
