/// The first line of a baseline.
///
/// It names nothing of the store that wrote it: baselines of equal vectors and models have equal bytes.
package struct BaselineHeader: Hashable, Sendable {
    package var model: String?
    /// Another model may keep other writes as deferred.
    package var modelHash: String
    package var rules: BaselineRules
    package var writerCount: Int

    package init(model: String?, modelHash: String, rules: BaselineRules = BaselineRules(), writerCount: Int) {
        self.model = model
        self.modelHash = modelHash
        self.rules = rules
        self.writerCount = writerCount
    }

    /// Without its newline.
    package var line: String {
        var members = [
            JSONMember(key: "tributary", value: .integer(1)),
            JSONMember(key: "baseline", value: .integer(1)),
        ]
        if let model { members.append(JSONMember(key: "model", value: .string(model))) }
        members.append(JSONMember(key: "modelHash", value: .string(modelHash)))
        members.append(JSONMember(key: "rules", value: rules.json))
        members.append(JSONMember(key: "writers", value: .integer(Int64(writerCount))))
        return JSONValue.object(members).text
    }
}
