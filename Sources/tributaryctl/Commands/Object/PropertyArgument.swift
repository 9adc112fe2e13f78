import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// `name=Ann`, or `name:=JSON` for a JSON value.
struct PropertyArgument: ExpressibleByArgument {
    let name: String
    let text: String
    let isJSON: Bool

    static let help = ArgumentHelp(
        "name=text, or name:=JSON. An empty text after name= is the value of a text, and no value of another type; name:=null "
            + "is no value.",
        valueName: "property"
    )

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        let name = argument[..<equals]
        text = String(argument[argument.index(after: equals)...])
        isJSON = name.hasSuffix(":")
        self.name = String(isJSON ? name.dropLast() : name)
        if self.name.isEmpty { return nil }
    }

    func value(type: String?) throws -> JSONValue {
        if !isJSON, text == "null" {
            throw failure(
                "\(name)=null would be the text 'null'. To clear the value: \(name):=null. To set this text: "
                    + "\(name):='\"null\"'"
            )
        }
        guard !isJSON, let type else { return isJSON ? try json("a value of JSON") : .string(text) }
        switch type {
        case "Integer 16", "Integer 32", "Integer 64", "Double", "Float":
            if text.isEmpty { return .null }
            switch try? JSONParser.parse(text) {
            case .integer(let number)?: return .integer(number)
            case .double(let number)?: return .double(number)
            case .number(let number)?: return .number(number)
            case let other?: if case .unrepresentable = other { return other }
            case nil: break
            }
            throw failure("\(name) is \(type.hasPrefix("I") ? "an" : "a") \(type), and '\(text)' is not a number")
        case "Boolean":
            if text.isEmpty { return .null }
            guard text == "true" || text == "false" else {
                throw failure("\(name) is a Boolean, and '\(text)' is neither true nor false")
            }
            return .boolean(text == "true")
        case "Date": return text.isEmpty ? .null : try json("a Date (Unix seconds, such as 1795219200)")
        case "Composite": return text.isEmpty ? .null : try json("a Composite")
        default: return .string(text)
        }
    }

    private func json(_ type: String) throws -> JSONValue {
        do {
            return try JSONParser.parse(text)
        } catch {
            throw failure("\(name) is \(type), and '\(text)' is not JSON: \(error.reason)")
        }
    }

    private func failure(_ reason: String) -> CommandFailure { CommandFailure(reason: reason, status: .usage) }
}
