import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// Predicate functions in SQL, computed by the model's own code, so that SQL and memory return equal results.
enum StringFunctions {
    /// `(text, pattern, options)`: 1, 0, or NULL where the text or the pattern is NULL.
    static let match = "tributary_match"
    /// `(text, options)`: the folded text.
    static let fold = "tributary_fold"
    static let decimalOrder = "tributary_decimal"

    private static let operators = ObjectPredicate.Operator.allCases.filter(\.isStringOperator)

    static func options(_ operation: ObjectPredicate.Operator, _ folding: StringFolding) -> Int32 {
        Int32(operators.firstIndex(of: operation) ?? 0) << 2 | folding.rawValue
    }

    static func register(in database: Database) throws {
        try database.addFunction(match, arguments: 3) { context, _, values in
            StringFunctions.matchValues(context, values)
        }
        try database.addFunction(fold, arguments: 2) { context, _, values in
            StringFunctions.foldValue(context, values)
        }
        let code = sqlite3_create_collation_v2(
            database.sqliteConnection,
            decimalOrder,
            SQLITE_UTF8,
            nil,
            { _, leftCount, left, rightCount, right in
                Int32(
                    DecimalText.compare(
                        StringFunctions.text(left, leftCount),
                        StringFunctions.text(right, rightCount)
                    ).signum()
                )
            },
            nil
        )
        guard code == SQLITE_OK else { throw StoreError.database(of: database.sqliteConnection) }
        try ValueFunctions.register(in: database)
        try AggregateFunctions.register(in: database)
        try MemberFunction.register(in: database)
        try ValueListTable.register(in: database)
        try TextFunction.register(in: database)
    }

    private final class Matcher {
        let matcher: StringMatcher?
        init(_ matcher: StringMatcher?) {
            self.matcher = matcher
        }
    }

    private typealias Values = Database.SQLValues

    private static func matchValues(_ context: OpaquePointer?, _ values: Values?) {
        guard let values, let text = text(values[0]) else { return sqlite3_result_null(context) }
        guard let matcher = matcher(context, values) else { return sqlite3_result_null(context) }
        let fits = matcher.matcher?.matches(text) == true
        // Many long rows fit between two calls of the progress handler.
        guard !MatchingLimit.isReached else { return sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
        sqlite3_result_int(context, fits ? 1 : 0)
    }

    private static func matcher(_ context: OpaquePointer?, _ values: Values) -> Matcher? {
        if let kept = sqlite3_get_auxdata(context, 1) {
            return Unmanaged<Matcher>.fromOpaque(kept).takeUnretainedValue()
        }
        guard let pattern = text(values[1]) else { return nil }
        let options = sqlite3_value_int(values[2])
        let matcher = Matcher(
            try? StringMatcher(
                operators[min(Int(options >> 2), operators.count - 1)],
                pattern,
                StringFolding(rawValue: options & 3)
            )
        )
        sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(matcher).toOpaque()) { kept in
            if let kept { Unmanaged<Matcher>.fromOpaque(kept).release() }
        }
        return matcher
    }

    private static func foldValue(_ context: OpaquePointer?, _ values: Values?) {
        guard let values, let text = text(values[0]) else { return sqlite3_result_null(context) }
        var folded = StringFolding(rawValue: sqlite3_value_int(values[1]) & 3).fold(text)
        folded.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                guard let start = chars.baseAddress else {
                    return sqlite3_result_text(context, "", 0, BoundStatement.copied)
                }
                sqlite3_result_text(context, start, Int32(chars.count), BoundStatement.copied)
            }
        }
    }

    private static func text(_ value: OpaquePointer?) -> String? {
        guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
        let start = sqlite3_value_text(value)
        return text(start, sqlite3_value_bytes(value))
    }

    private static func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)), as: UTF8.self)
    }
}

enum TextFunction {
    /// `(code, text)`: the value, or NULL.
    static let name = "tributary_text"

    static func register(in database: Database) throws {
        try database.addFunction(name, arguments: 2) { context, _, values in TextFunction.call(context, values) }
    }

    private static func call(_ context: OpaquePointer?, _ values: Database.SQLValues?) {
        guard let values, let derivation = TextDerivation(rawValue: sqlite3_value_int(values[0])) else {
            return sqlite3_result_null(context)
        }
        derivation.value(of: PropertyValue(sqlite: values[1], kind: .string)).setResult(of: context)
    }
}

enum MemberFunction {
    /// `(composite, names as a JSON array, code of the type)`: the member's value in the form of a column, or NULL.
    static let name = "tributary_member"

    static func call(_ column: String, _ names: [String], _ type: AttributeType) -> String {
        let path = JSONValue.array(names.map(JSONValue.string)).text.replacing("'", with: "''")
        return "\(name)(\(column), '\(path)', \(AttributeType.allCases.firstIndex(of: type) ?? 0))"
    }

    static func register(in database: Database) throws {
        try database.addFunction(name, arguments: 3) { MemberFunction.call($0, $1, $2) }
    }

    private static func call(_ context: OpaquePointer?, _ count: Int32, _ values: Database.SQLValues?) {
        let types = AttributeType.allCases
        guard let values, count == 3,
            case .string(let composite) = PropertyValue(sqlite: values[0], kind: .string),
            case .string(let path) = PropertyValue(sqlite: values[1], kind: .string),
            case .array(let elements)? = JSONValue(text: path),
            types.indices.contains(Int(sqlite3_value_int(values[2])))
        else { return sqlite3_result_null(context) }
        let names = elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
        guard let member = Attribute.member(of: .composite(composite), at: names) else {
            return sqlite3_result_null(context)
        }
        let type = types[Int(sqlite3_value_int(values[2]))]
        // The content of a stored composite was checked when it was written.
        if type == .composite, case .object = member {
            return PropertyValue.composite(member.text).setResult(of: context)
        }
        (type.scalarValue(from: member) ?? .null).setResult(of: context)
    }
}
