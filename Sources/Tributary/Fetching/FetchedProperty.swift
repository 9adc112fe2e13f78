/// One value of a dictionary result: a property, or a function of a group of objects.
///
/// ```swift
/// request.propertiesToFetch = ["department.title", .sum(of: "salary", as: "total"), .count(as: "heads")]
/// request.groupBy = ["department.title"]
/// ```
public struct FetchedProperty: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A function of the values of a group, which ignores missing values.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// The number of values, or of objects when there is no key path.
        case count
        /// The sum; 0 without values.
        case sum
        /// The least value.
        case min
        /// The greatest value.
        case max
        /// The mean; null without values.
        case average
    }

    /// The key in the result.
    public let name: String
    /// A path through to-one relationships to an attribute or a to-one relationship; `SELF` for the object itself.
    public let keyPath: String
    /// The function; nil for the value itself.
    public let function: Function?

    /// Creates the value at the end of a key path, named by the path unless a name is given.
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

    /// Creates the value at the end of a key path.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates the number of objects of a group.
    public static func count(as name: String = "count") -> FetchedProperty { FetchedProperty(.count, "SELF", name) }

    /// Creates the number of values.
    public static func count(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.count, keyPath, name)
    }

    /// Creates the sum of numbers.
    public static func sum(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.sum, keyPath, name)
    }

    /// Creates the least value.
    public static func min(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.min, keyPath, name)
    }

    /// Creates the greatest value.
    public static func max(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.max, keyPath, name)
    }

    /// Creates the mean of numbers.
    public static func average(of keyPath: String, as name: String) -> FetchedProperty {
        FetchedProperty(.average, keyPath, name)
    }
}
