import TributaryAdmin
import TributaryChanges

struct ObjectTable {
    let objects: [JSONValue]
    private static let widest = 200

    func print(on terminal: Terminal, none: String) {
        var names: [String] = []
        for object in objects {
            for member in object.members("values") ?? [] where !names.contains(member.key) { names.append(member.key) }
        }
        let titles = Set(objects.map { $0.shown("entity") }).count > 1 ? ["ID", "ENTITY"] : ["ID"]
        var table = Table(titles: titles + names.map(EscapedText.escape))
        for object in objects {
            let cells = titles.map { object.shown($0.lowercased()) }
            table.add(
                cells
                    + names.map { name in
                        let text = object["values"]?.shown(name)
                        guard terminal.width != nil, let text, text.count > ObjectTable.widest else { return text }
                        return text.prefix(ObjectTable.widest) + "…"
                    }
            )
        }
        table.print(on: terminal, none: none)
    }

    static func print(_ object: JSONValue, on terminal: Terminal) {
        var fields = ["id", "entity", "version"].map { (label: $0, text: object.shown($0) ?? "-" as String?) }
        fields += (object.members("values") ?? []).map { member in
            let text = member.value == .array([]) ? "none" : member.value.shown
            return (EscapedText.escape(member.key), text ?? "-")
        }
        terminal.print(fields: fields, width: (fields.map(\.label.count).max() ?? 0) + 2)
    }
}
