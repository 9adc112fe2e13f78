import Foundation
import TributaryAdmin
package import TributaryModel
import TributaryStore

/// The daemon's readers of text from outside, for programs that feed them arbitrary bytes; false for refused text.
package enum OutsideText {
    package static func readConfiguration(_ bytes: [UInt8]) -> Bool {
        let sources = ConfigurationSources(environment: [:], hostName: "host", workingDirectory: "/")
        do throws(ConfigurationError) {
            let file = ConfigurationFile(path: "/tributary.yaml", Data(bytes))
            _ = try Configuration.load(sources, file, sources.paths)
            return true
        } catch {
            precondition(!error.reason.isEmpty, "a refusal without a reason")
            return false
        }
    }

    package static func readQuery(_ text: String, _ entity: Entity, in model: Model) -> Bool {
        do throws(ProblemDocument) {
            let parameters = try QueryParameters(
                text,
                known: ["where", "sort", "limit", "after", "include", "count", "since"]
            )
            let query = try ObjectsRoute.fetchQuery(parameters, entity, model)
            precondition(query.limit.map((2...QueryParameters.largestLimit + 1).contains) ?? false, "no limit")
            _ = try parameters.flag("count")
            _ = try ObjectJSON(model: model, entity: entity, include: parameters["include"])
            return true
        } catch {
            precondition((400..<500).contains(error.status) && error.detail?.isEmpty == false, "\(error)")
            return false
        }
    }
}
