import TestSupport
import TributaryAdmin
import TributaryChanges
import TributaryModel

/// The messages of the admin interface, each with the name of its schema.
enum InterfaceMessages {
    private static let segment = SegmentsMessage.Segment(writer: "", first: "", last: "", state: "")
    private static let amount = ImportCounts()
    private static let merged = SyncMessage.Merged(inserted: 0, updated: 0, deleted: 0, everything: nil)

    static let all = messages + model

    private static let messages: [(String, any Sendable)] = [
        ("Status", StatusMessage(version: "", state: .running, uptimeSeconds: 0)),
        ("StatusProblem", Problem("", detail: "", hint: nil)),
        ("ConflictCounts", StatusMessage.Conflicts(kept: 0, dropped: 0)),
        ("StatusDisk", StatusMessage.Disk(holds: [], paths: [], freeBytes: 0, totalBytes: 0, outlook: "")),
        ("StatusTrust", StatusMessage.Trust(mode: "", key: nil)),
        ("StatusEncryption", StatusMessage.Encryption(key: nil, keys: 0, required: false)),
        ("StatusLogFolder", StatusMessage.LogFolder(files: 0, bytes: 0, maxBytes: 0)),
        ("StatusTotals", StatusMessage.Totals(imported: amount, exported: amount, mergedObjects: 0)),
        ("StatusWriters", StatusMessage.Writers(count: 0, behind: 0, first: [])),
        ("StatusWriter", StatusMessage.Writer(id: "", name: nil, behind: 0)),
        ("Missing", MissingPart(writer: UniqueID(high: 0, low: 0), writerName: nil, holders: [])),
        ("Holder", MissingPart.Holder(writer: UniqueID(high: 0, low: 0), name: nil, cause: "")),
        ("DeferredCounts", StatusMessage.Deferred(values: 0, unknownObjects: 0, first: [])),
        ("DeferredValue", DeferredMessage(writer: "", sequence: 0, entity: "", id: "", rule: "", text: "")),
        ("Segment", segment),
        ("SegmentList", SegmentsMessage(segments: [])),
        ("Writer", WritersMessage.Writer(id: "", name: nil, sequence: 0, clock: "", state: "")),
        ("WriterKey", WritersMessage.Writer.Key(key: "", state: "")),
        ("WriterList", WritersMessage(writers: [])),
        ("RestampResult", RestampMessage(former: "", new: "", published: 0, reissued: 0)),
        ("SyncResult", SyncMessage(imported: amount, merged: merged, exported: amount, remaining: [:], token: "")),
        ("Amount", amount),
        ("MergedObjects", merged),
        ("Problem", ProblemDocument(.failure)),
        ("PropertyProblem", ProblemDocument.PropertyProblem(entity: "", id: nil, property: nil, detail: "")),
        ("Configuration", ConfigurationMessage(file: nil, settings: [], restartNeeded: false)),
        ("Setting", ConfigurationMessage.Setting(key: "", value: nil, origin: "", place: nil)),
        ("ReloadResult", ReloadMessage(changed: [], restartNeeded: [])),
        ("CheckResult", CheckReport()),
        ("CheckComparison", CheckReport.Comparison.equal(digest: "")),
        ("CompactResult", CompactionReport(dryRun: true)),
        ("CompactStep", CompactionReport.Step(result: .nothing)),
        ("CompactBaseline", CompactionReport.Baseline(file: "", bytes: 0, verified: false, detail: "")),
        ("CompactSegment", CompactionReport.Segment(file: "", bytes: 0, waitsFor: [])),
        ("BackupResult", BackupMessage(bytes: 0, sha256: "", missingValues: 0, store: "")),
        ("LogLevel", LogLevelMessage(level: "")),
    ]

    private static let model: [(String, any Sendable)] = {
        var definition = EntityDefinition(name: "Part")
        definition.attributes = [Attribute(name: "name", type: .string)]
        definition.relationships = [Relationship(name: "whole", destination: "Part")]
        guard let model = try? Model(version: "1", entities: [definition]) else { return [] }
        let message = ModelMessage(model)
        return [
            ("Model", message), ("Entity", message.entities[0]), ("Attribute", message.entities[0].attributes[0]),
            ("Relationship", message.entities[0].relationships[0]),
        ]
    }()

    /// A type in the words of a schema, such as `[Segment]`.
    static func text(of type: Any.Type) -> (text: String, isOptional: Bool) {
        var text = String(reflecting: type)
        let optional = "Swift.Optional<"
        let isOptional = text.hasPrefix(optional)
        if isOptional { text = String(text.dropFirst(optional.count).dropLast()) }
        return (plain(text), isOptional)
    }

    private static func plain(_ text: String) -> String {
        if text.hasPrefix("Swift.Array<") { return "[" + plain(String(text.dropFirst(12).dropLast())) + "]" }
        let dictionary = "Swift.Dictionary<Swift.String, "
        if text.hasPrefix(dictionary) {
            return "{" + plain(String(text.dropFirst(dictionary.count).dropLast())) + "}"
        }
        switch text {
        case "Swift.String", "TributaryAdmin.StatusMessage.State", "TributaryAdmin.Problem.Code",
            "TributaryAdmin.CompactionReport.Step.Result",
            "TributaryChanges.UniqueID":
            return "string"
        case "Swift.Int", "Swift.Int64", "Swift.UInt64": return "integer"
        case "Swift.Double", "TributaryChanges.WallTime": return "number"
        case "Swift.Bool": return "boolean"
        default: return all.first { String(reflecting: type(of: $0.1)) == text }?.0 ?? text
        }
    }

    /// A schema in the same words.
    static func text(of schema: JSONValue) -> String {
        if let reference = schema["$ref"]?.string { return reference.split(separator: "/").last.map(String.init) ?? "" }
        switch schema["type"]?.string {
        case "array": return "[" + text(of: schema["items"] ?? .null) + "]"
        case "object": return "{" + text(of: schema["additionalProperties"] ?? .null) + "}"
        case let type: return type ?? ""
        }
    }
}
