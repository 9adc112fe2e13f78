import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// The SQL function for members of composites, computed by the model's own code.
enum MemberFunction {
    /// `(composite, names as a JSON array, code of the type)`: the member's value in the form of a column, or NULL.
    static let name = "tributary_member"

    /// The SQL expression for the member of a composite column.
    static func call(_ column: String, _ names: [String], _ type: AttributeType) -> String {
        let path = JSONValue.array(names.map(JSONValue.string)).text.replacing("'", with: "''")
        return "\(name)(\(column), '\(path)', \(AttributeType.allCases.firstIndex(of: type) ?? 0))"
    }

    static func register(in database: Database) throws {
        try database.addFunction(name, arguments: 3) { MemberFunction.call($0, $1, $2) }
    }

    private static func call(
        _ context: OpaquePointer?,
        _ count: Int32,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
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
