/// One value of a dictionary result: a property, or something computed from a group of objects.
///
/// ```swift
/// request.propertiesToFetch = ["department.title", .sum(of: "salary", as: "total"), .count(as: "heads")]
/// request.groupBy = ["department.title"]
/// ```
public struct FetchedProperty: Sendable, Hashable, ExpressibleByStringLiteral {
    /// What is computed from the values of a group; those that are nothing do not count.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// How many values there are, or objects when there is no key path.
        case count
        /// The sum, 0 of none.
        case sum
        /// The least value.
        case min
        /// The greatest value.
        case max
        /// The mean of the values, nothing of none.
        case average
    }

    /// The key in the result.
    public let name: String
    /// A path through to-one relationships to an attribute or a to-one relationship; `SELF` for the object itself.
    public let keyPath: String
    /// Nil for the value itself.
    public let function: Function?

    /// The value at the end of a key path, named by the path unless it is said otherwise.
    public init(_ keyPath: String, as name: String? = nil) {
        self.name = name ?? keyPath
        self.keyPath = keyPath
        function = nil
    }

    private init(_ function: Function, _ keyPath: String, _ name: String) {
        self.name = name
        self.keyPath = keyPath
        self.function = function
    }

    /// The value at the end of a key path.
    public init(stringLiteral value: String) { self.init(value) }

    /// The number of objects of a group.
    public static func count(as name: String = "count") -> FetchedProperty { FetchedProperty(.count, "SELF", name) }

    /// The number of values.
    public static func count(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.count, keyPath, name)
    }

    /// The sum of numbers.
    public static func sum(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.sum, keyPath, name)
    }

    /// The least value.
    public static func min(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.min, keyPath, name)
    }

    /// The greatest value.
    public static func max(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.max, keyPath, name)
    }

    /// The mean of numbers.
    public static func average(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.average, keyPath, name)
    }
}
