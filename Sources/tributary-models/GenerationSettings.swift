import Foundation
import TributaryGeneration

/// The settings in a target's `tributary-models.json`, which apply to all its models.
///
/// `{"access": "public", "transformableClasses": true, "ownClasses": ["Employee"]}`: other modules can use the classes,
/// transformable attributes have the class that the model names, and the target's own class `Employee` gets
/// `EmployeeBase`.
struct GenerationSettings: Sendable {
    var access = AccessLevel.internal
    var usesTransformableClasses = false
    var ownClasses: Set<String> = []

    /// A setting that cannot be used, as a line that an editor understands.
    struct Failure: Error {
        var message: String
    }

    private static let keys = ["access", "transformableClasses", "ownClasses"]
    private static let maximumBytes = 64 * 1024

    init(contentsOf path: String) throws(Failure) {
        func refuse(_ reason: String) -> Failure { Failure(message: "\(path):1: error: \(reason)") }
        let bytes: Data
        do { bytes = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw refuse("the file cannot be read: \(error.localizedDescription)")
        }
        guard bytes.count <= GenerationSettings.maximumBytes else { throw refuse("the file is over 64 KiB") }
        guard let values = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any] else {
            throw refuse("the file is not a JSON object; write {\"access\": \"public\"}")
        }
        if let unknown = values.keys.sorted().first(where: { !GenerationSettings.keys.contains($0) }) {
            let known = GenerationSettings.keys.joined(separator: ", ")
            throw refuse("the setting '\(unknown)' is not known; known are \(known)")
        }
        if let value = values["access"] {
            guard let level = (value as? String).flatMap(AccessLevel.init) else {
                let all = AccessLevel.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
                throw refuse("'access' is \(all)")
            }
            access = level
        }
        if let value = values["transformableClasses"] {
            guard let flag = value as? Bool else { throw refuse("'transformableClasses' is true or false") }
            usesTransformableClasses = flag
        }
        if let value = values["ownClasses"] {
            guard let names = value as? [String] else { throw refuse("'ownClasses' is a list of entities") }
            ownClasses = Set(names)
        }
    }

    init() {}
}
