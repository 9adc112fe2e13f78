package import TributaryModel

package struct ModelSource: Sendable {
    private let versions: [ModelText]

    package init(contentsOf path: String) throws(ModelError) {
        versions = try Model.texts(contentsOf: path)
    }

    func body(_ type: String) -> [String] {
        guard let current = versions.last else { return [] }
        var lines = ModelSource.call(current, type)
        lines[0] = "let current = " + lines[0]
        guard versions.count > 1 else { return lines + ["return current"] }
        lines.append("return current.succeeding([")
        for version in versions.dropLast() {
            var call = ModelSource.call(version, type)
            call[call.count - 1] += ","
            lines += call.map { "    " + $0 }
        }
        return lines + ["])"]
    }

    private static func call(_ version: ModelText, _ type: String) -> [String] {
        let end = version.xmlVersion.map { "    \"\"\", version: \(SwiftName.literal($0)))" } ?? "    \"\"\")"
        let label = version.xmlVersion == nil ? "yaml" : "xml"
        return ["try \(type)(\(label): \"\"\""] + lines(of: version.text) + [end]
    }

    private static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            "    " + SwiftName.literal(String($0)).dropFirst().dropLast()
        }
    }
}
