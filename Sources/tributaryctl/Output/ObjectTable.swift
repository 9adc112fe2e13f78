import TributaryChanges

struct ObjectTable {
    let objects: [JSONValue]
    /// The number of characters of a value on a terminal; `object get` shows all of them.
    private static let widest = 200

    func print(on terminal: Terminal) {
        var names: [String] = []
        for object in objects {
            guard case .object(let members)? = object["values"] else { continue }
            for member in members where !names.contains(member.key) { names.append(member.key) }
        }
        let entities = Set(objects.map { ResponseJSON.text($0["entity"]) })
        var titles = ["ID"]
        if entities.count > 1 { titles.append("ENTITY") }
        var table = Table(titles: titles + names.map(EscapedText.escape))
        for object in objects {
            var cells = [ResponseJSON.text(object["id"])]
            if entities.count > 1 { cells.append(ResponseJSON.text(object["entity"])) }
            table.add(
                cells
                    + names.map { name in
                        let text = ResponseJSON.text(object["values"]?[name])
                        guard terminal.width != nil, let text, text.count > ObjectTable.widest else { return text }
                        return text.prefix(ObjectTable.widest) + "…"
                    }
            )
        }
        table.print(on: terminal)
    }

    static func print(_ object: JSONValue, on terminal: Terminal) {
        var lines = [("id", object["id"]), ("entity", object["entity"]), ("version", object["version"])]
        if case .object(let members)? = object["values"] { lines += members.map { ($0.key, Optional($0.value)) } }
        let width = (lines.map(\.0.count).max() ?? 0) + 2
        for (name, value) in lines {
            let label = EscapedText.escape(name)
            let padding = String(repeating: " ", count: max(1, width - label.count))
            terminal.print(
                terminal.styled(label, .faint) + padding + EscapedText.escape(ResponseJSON.text(value) ?? "-")
            )
        }
    }
}
