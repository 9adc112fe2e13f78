import HTTPTypes
import Logging
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributarySync

/// The OpenAPI document of the admin interface.
///
/// It is made from three sources. The messages give their schemas, and the table of routes gives the access, the
/// requirements and the parameters of each operation. `openapi.json` contains the rest, which a person writes:
///
/// * `paths`: the operations. `body`, `answer` and `progress` are the names of the schemas of the request, of the
///   response and of its progress events. `result` describes the response in words; without it the summary does.
///   `problems` lists the statuses of problems. An unusual operation adds `parameters` and `responses`.
/// * `problems` and `parameters`: what all operations share.
/// * `schemas`: the JSON that no `Codable` type describes.
/// * `descriptions`: for a message or its member a sentence, or further members of its schema.
enum InterfaceDocument {
    /// The document of this program, which is made at the first use.
    static let text = Result { try make(from: PackageResources.openapi_json).text }

    /// The messages, with the names of their schemas.
    static let messages: KeyValuePairs<String, any (Decodable & Sendable).Type> = [
        "Status": StatusMessage.self,
        "StatusDisk": StatusMessage.Disk.self,
        "StatusTrust": StatusMessage.Trust.self,
        "StatusEncryption": StatusMessage.Encryption.self,
        "StatusLogFolder": StatusMessage.LogFolder.self,
        "StatusTotals": StatusMessage.Totals.self,
        "StatusWriters": StatusMessage.Writers.self,
        "StatusWriter": StatusMessage.Writer.self,
        "StatusProblem": Problem.self,
        "Missing": MissingPart.self,
        "Holder": MissingPart.Holder.self,
        "ConflictCounts": StatusMessage.Conflicts.self,
        "DeferredCounts": StatusMessage.Deferred.self,
        "DeferredValue": DeferredMessage.self,
        "PageCompaction": PageData.Compaction.self,
        "PageTrust": PageData.Trust.self,
        "PageFolder": PageData.Folder.self,
        "Segment": SegmentsMessage.Segment.self,
        "SegmentList": SegmentsMessage.self,
        "Writer": WritersMessage.Writer.self,
        "WriterKey": WritersMessage.Writer.Key.self,
        "WriterList": WritersMessage.self,
        "RestampResult": RestampMessage.self,
        "Model": ModelMessage.self,
        "Entity": ModelMessage.Entity.self,
        "Attribute": ModelMessage.Attribute.self,
        "Relationship": ModelMessage.Relationship.self,
        "SyncResult": SyncMessage.self,
        "Amount": ImportCounts.self,
        "MergedObjects": SyncMessage.Merged.self,
        "Problem": ProblemDocument.self,
        "PropertyProblem": ProblemDocument.PropertyProblem.self,
        "Configuration": ConfigurationMessage.self,
        "Setting": ConfigurationMessage.Setting.self,
        "ReloadResult": ReloadMessage.self,
        "LogLevel": LogLevelMessage.self,
        "CheckResult": CheckReport.self,
        "CheckComparison": CheckReport.Comparison.self,
        "CompactResult": CompactionReport.self,
        "CompactStep": CompactionReport.Step.self,
        "CompactBaseline": CompactionReport.Baseline.self,
        "CompactSegment": CompactionReport.Segment.self,
        "BackupResult": BackupMessage.self,
    ]

    /// The values of members that are texts, so that a program can read the values of a later version.
    private static let texts: [String: [String]] = [
        "CheckComparison.reason": CheckReport.Obstacle.allCases.map(\.rawValue),
        "LogLevel.level": Logger.Level.allCases.map(\.rawValue),
        "PageTrust.mode": TrustSettings.Mode.allCases.map(\.rawValue),
        "Problem.type": ProblemKind.allCases.map(\.type),
        "Segment.state": SegmentState.allCases.map(\.rawValue) + ["missing"],
        "StatusTrust.mode": TrustSettings.Mode.allCases.map(\.rawValue),
    ]

    /// - Throws: ``ProblemDocument`` when the text describes an operation or a member that does not exist.
    static func make(from text: [UInt8]) throws -> JSONValue {
        let written = try JSONParser.parse(text, depthLimit: 32)
        let schemas = JSONValue.object(written["schemas"].members + (try schemas(with: written["descriptions"])))
        let paths = try written["paths"].members.map { path in
            let operations = try Optional(path.value).members.map { method in
                let route = RouteTable.routes.first {
                    $0.path.rawValue == path.key && $0.method.rawValue.lowercased() == method.key
                }
                guard let route else { throw mismatch("'\(method.key) \(path.key)', which is not a route") }
                let operation = operation(method.value, of: route, parameters: written["parameters"], schemas)
                return JSONMember(key: method.key, value: operation)
            }
            return JSONMember(key: path.key, value: .object(operations))
        }
        let problems = written["problems"].members.map { status in
            let response = JSONValue.members([
                "description": status.value,
                "content": .object(content(of: "Problem", type: "application/problem+json")),
            ])
            return JSONMember(key: problem(status.key), value: response)
        }
        let parameters = written["parameters"].members.map { written in
            let name = written.key
            let isPath = AdminPath.allCases.contains { $0.takes(name) }
            let parameter = JSONValue.members([
                "name": .string(name), "in": .string(isPath ? "path" : "query"),
                "required": isPath ? .boolean(true) : nil, "schema": written.value,
            ])
            return JSONMember(key: name, value: parameter)
        }
        return .members([
            "openapi": written["openapi"],
            "info": written["info"],
            "servers": written["servers"],
            "paths": .object(paths),
            "components": .members([
                "parameters": .object(parameters), "responses": .object(problems), "schemas": schemas,
            ]),
        ])
    }

    private static func mismatch(_ thing: String) -> ProblemDocument {
        ProblemDocument(.failure, detail: "the description of the admin interface has \(thing)")
    }

    // MARK: Schemas

    private static func schemas(with descriptions: JSONValue?) throws -> [JSONMember] {
        let names = Dictionary(uniqueKeysWithValues: messages.map { (ObjectIdentifier($0.value), $0.key) })
        var unused = Set(descriptions.members.map(\.key) + texts.keys)
        func described(_ schema: JSONValue, _ key: String) -> JSONValue {
            unused.remove(key)
            let values = texts[key].map { JSONValue.array($0.map(JSONValue.string)) }
            var added = JSONValue.members(of: ["enum": values])
            switch descriptions?[key] {
            case .object(let members)?: added += members
            case let sentence: added += JSONValue.members(of: ["description": sentence])
            }
            return schema.adding(added)
        }
        let schemas = try messages.map { name, message in
            let recorder = try SchemaRecorder(message, names: names)
            let properties = recorder.properties.map {
                JSONMember(key: $0.key, value: described($0.value, "\(name).\($0.key)"))
            }
            let schema = JSONValue.members([
                "type": .string("object"),
                "required": recorder.required.isEmpty ? nil : .array(recorder.required),
                "properties": .object(properties),
            ])
            return JSONMember(key: name, value: described(schema, name))
        }
        guard let key = unused.min() else { return schemas }
        throw mismatch("'\(key)', which is neither a message nor one of its members")
    }

    // MARK: Operations

    private static func problem(_ status: String) -> String { status == "default" ? "Problem" : "Problem\(status)" }

    private static func content(of name: String, type: String = "application/json") -> [JSONMember] {
        [JSONMember(key: type, value: .members(["schema": .reference(to: "schemas", name)]))]
    }

    /// The response to a success, if the operation has an `answer`.
    private static func success(_ written: JSONValue) -> [JSONMember] {
        guard let answer = written["answer"].string else { return [] }
        var content = content(of: answer)
        if let progress = written["progress"].string {
            let events = JSONValue.members([
                "progress": .reference(to: "schemas", progress), "result": .reference(to: "schemas", answer),
                "problem": .reference(to: "schemas", "Problem"),
            ])
            let schema = JSONValue.members([
                "type": .string("string"), "description": .string("With `Accept: text/event-stream`."),
            ])
            let stream = JSONValue.members(["schema": schema, "x-events": events])
            content.append(JSONMember(key: "text/event-stream", value: stream))
        }
        let response = JSONValue.members([
            "description": written["result"] ?? written["summary"], "content": .object(content),
        ])
        return [JSONMember(key: "200", value: response)]
    }

    private static func operation(
        _ written: JSONValue,
        of route: Route,
        parameters: JSONValue?,
        _ schemas: JSONValue
    ) -> JSONValue {
        var needsStore = false
        if case .openStore = route.requirement { needsStore = true }
        let own = written["parameters"].elements
        let shared = parameters.members.map(\.key).filter { name in
            (route.query.contains(name) || route.path.takes(name))
                && !own.contains { $0["name"] == .string(name) }
        }
        let all = shared.map { JSONValue.reference(to: "parameters", $0) } + own
        let body = written["body"].string.map { body in
            let isRequired = schemas[body]?["required"] != nil
            return JSONValue.members(["required": .boolean(isRequired), "content": .object(content(of: body))])
        }
        var statuses = ["400", "default"] + written["problems"].elements.map(\.text)
        if route.access != .read { statuses.append("403") }
        if body != nil { statuses.append("413") }
        if needsStore { statuses.append("503") }
        let problems = statuses.map { JSONMember(key: $0, value: .reference(to: "responses", problem($0))) }
        let responses = written["responses"].members + success(written) + problems
        return .members([
            "operationId": written["operationId"],
            "summary": written["summary"],
            "x-access": .string("\(route.access)"),
            "x-answers": .string(needsStore ? "while the store is open" : "always"),
            "parameters": all.isEmpty ? nil : .array(all),
            "requestBody": body,
            "responses": .object(responses.sorted { $0.key < $1.key }),
        ])
    }
}

extension AdminPath {
    fileprivate func takes(_ parameter: String) -> Bool { rawValue.contains("{\(parameter)}") }
}

extension JSONValue {
    /// A reference to a component of the document.
    static func reference(to kind: String, _ name: String) -> JSONValue {
        .members(["$ref": .string("#/components/\(kind)/\(name)")])
    }

    /// The object with further members.
    func adding(_ added: [JSONMember]) -> JSONValue { .object(Optional(self).members + added) }
}

extension JSONValue? {
    /// The members of an object; of another value none.
    fileprivate var members: [JSONMember] {
        if case .object(let members)? = self { members } else { [] }
    }

    /// The elements of an array; of another value none.
    fileprivate var elements: [JSONValue] {
        if case .array(let elements)? = self { elements } else { [] }
    }

    /// A text; of another value nil.
    fileprivate var string: String? {
        if case .string(let text)? = self { text } else { nil }
    }
}
