import TributaryModel

struct CompositeSource {
    let name: String
    let attributes: [Attribute]
    let names: TypeNames
    let options: GeneratorOptions

    var lines: [String] {
        let access = options.access.prefix
        let source = AttributeSource(names: names, options: options)
        let type = SwiftName.escaped(names.composites[name] ?? name)
        var taken = SwiftName.generatedMembers.union([
            "fieldValue", "zeroField", "compositeFields", "hash", "hashValue",
        ])
        let members = attributes.map { attribute in
            let identifier = SwiftName.identifier(attribute.name, notIn: taken)
            taken.insert(identifier)
            return (attribute: attribute, name: SwiftName.escaped(identifier))
        }
        var lines = AttributeSource.needsFoundation(attributes.map(\.type)) ? ["\(access)import Foundation"] : []
        lines += [
            "\(access)import Tributary",
            "",
            "/// The composite `\(SwiftName.comment(name))`.",
            "\(access)struct \(type): \(names.library("CompositeValue")) {",
        ]
        for (attribute, name) in members {
            lines.append("    /// The attribute `\(SwiftName.comment(attribute.name))`.")
            lines.append("    \(access)var \(name): \(source.snapshotType(of: attribute))")
        }
        let parameters = members.map { member in
            let base = source.snapshotType(of: member.attribute)
            return member.attribute.isOptional ? "\(member.name): \(base) = nil" : "\(member.name): \(base)"
        }
        lines += ["", "    /// A value of its parts.", "    \(access)init("]
        lines += parameters.enumerated().map { "        \($1)\($0 + 1 < parameters.count ? "," : "")" }
        lines.append("    ) {")
        lines += members.map { "        self.\($0.name) = \($0.name)" }
        let fields = names.library("CompositeFields")
        lines += ["    }", "", "    /// As `CompositeValue` asks.", "    \(access)init(_ fields: \(fields)) {"]
        lines += members.map { member in
            "        self.\(member.name) = fields[\(SwiftName.literal(member.attribute.name)), .\(member.attribute.type)]"
        }
        lines += ["    }", "", "    /// As `CompositeValue` asks.", "    \(access)var compositeFields: \(fields) {"]
        lines.append("        \(members.isEmpty ? "let" : "var") fields = \(fields)()")
        lines += members.map { "        fields.set(\(SwiftName.literal($0.attribute.name)), to: self.\($0.name))" }
        return lines + ["        return fields", "    }", "}"]
    }
}
