import TributaryModel

/// The source of an entity's value type, nested in its class.
struct SnapshotSource {
    let type: String
    let members: ClassMembers
    let attributes: AttributeSource
    let access: String

    private struct Part {
        let name: String
        let type: String
        let comment: String
        let read: String
        /// The statement that writes the property back; nil when it is read-only.
        let write: String?
        let property: String
    }

    var lines: [String] {
        let names = attributes.names
        let parts = self.parts
        var lines = [
            "/// The values of an object, which may cross contexts and processes.",
            "\(access)struct Snapshot: \(names.library("TypedSnapshot")) {",
            "    /// Whose values they are.",
            "    \(access)var objectID: \(names.library("ManagedObjectID"))",
        ]
        for part in parts {
            lines += ["    /// \(part.comment)", "    \(access)var \(SwiftName.escaped(part.name)): \(part.type)"]
        }
        lines += ["", "    /// The values of the object now.", "    \(access)init(_ object: \(type)) {"]
        lines.append("        objectID = object.objectID")
        lines += parts.map { "        self.\(SwiftName.escaped($0.name)) = \($0.read)" }
        lines += ["    }", "", "    /// Sets the object's attributes and to-one relationships; derived ones stay."]
        lines.append("    \(access)func write(to object: \(type)) {")
        lines += parts.compactMap { part in part.write.map { "        \($0)" } }
        lines += ["    }", ""]
        return lines + nameTable(parts, names) + ["}"]
    }

    private var parts: [Part] {
        members.all.compactMap { member in
            let name = member.property.name
            switch member.property {
            case .attribute(let attribute):
                // A transient attribute without a type is in no snapshot.
                guard attribute.type != .undefined else { return nil }
                let snapshotType = attributes.snapshotType(of: attribute)
                let isSame = snapshotType == attributes.type(of: attribute)
                let key = "\(type).\(member.escaped)"
                let accessor =
                    isSame ? "object.\(member.escaped)" : "object[\(key), as: \(snapshotType).self]"
                return Part(
                    name: member.name,
                    type: snapshotType,
                    comment: "The attribute `\(SwiftName.comment(name))`.",
                    read: accessor,
                    write: attribute.derivationExpression == nil ? "\(accessor) = self.\(member.escaped)" : nil,
                    property: name
                )
            case .relationship:
                guard let idName = member.idName else { return nil }
                let accessor = "object[idOf: \(type).\(member.escaped)]"
                return Part(
                    name: idName,
                    type: attributes.names.library("ManagedObjectID") + "?",
                    comment: "The object that the relationship `\(SwiftName.comment(name))` leads to.",
                    read: accessor,
                    write: "\(accessor) = self.\(SwiftName.escaped(idName))",
                    property: name
                )
            }
        }
    }

    private func nameTable(_ parts: [Part], _ names: TypeNames) -> [String] {
        let string = names.library("String")
        var lines = [
            "    /// The model's name of the property that a key path leads to.",
            "    \(access)static func propertyName(of path: \(names.library("PartialKeyPath"))<Self>) -> \(string)? {",
        ]
        guard !parts.isEmpty else { return lines + ["        nil", "    }"] }
        lines.append("        switch path {")
        for part in parts {
            lines.append(
                "        case \\Self.\(SwiftName.escaped(part.name)): \(SwiftName.literal(part.property))"
            )
        }
        return lines + ["        default: nil", "        }", "    }"]
    }
}
