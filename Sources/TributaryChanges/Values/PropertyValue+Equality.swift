import Glibc

extension PropertyValue {
    /// Whether the two are one value for the store and for predicates: texts are compared by their bytes, whereas
    /// Swift's own `==` considers canonically equivalent texts equal.
    public static func == (left: PropertyValue, right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)),
            (.decimal(let left), .decimal(let right)), (.composite(let left), .composite(let right)):
            areSame(left, right)
        case (.uuid(let left), .uuid(let right)), (.reference(let left), .reference(let right)): left == right
        case (.binary(let left), .binary(let right)): left == right
        case (.blob(let left, let leftSize), .blob(let right, let rightSize)): left == right && leftSize == rightSize
        default: false
        }
    }

    private static func areSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let isSame = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
        return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }
}
