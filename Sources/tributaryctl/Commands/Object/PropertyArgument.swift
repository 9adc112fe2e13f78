import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// A property and its value as a command argument: `name=Ann`, or `name:=JSON` for a JSON value.
struct PropertyArgument: ExpressibleByArgument {
    let name: String
    let text: String
    let isJSON: Bool

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        let name = argument[..<equals]
        text = String(argument[argument.index(after: equals)...])
        isJSON = name.hasSuffix(":")
        self.name = String(isJSON ? name.dropLast() : name)
        if self.name.isEmpty { return nil }
    }

    /// Returns the value in the form of the log; a plain text is converted to the attribute's type.
    func value(type: String?) throws -> JSONValue {
        if isJSON { return try json() }
        switch type {
        case "Integer 16", "Integer 32", "Integer 64", "Boolean", "Double", "Float", "Date", "Composite":
            return text.isEmpty ? .null : try json()
        default:
            return .string(text)
        }
    }

    private func json() throws -> JSONValue {
        do {
            return try JSONParser.parse(text)
        } catch {
            throw CommandFailure(reason: "'\(name)': '\(text)' is not JSON: \(error.reason)", status: .usage)
        }
    }
}
