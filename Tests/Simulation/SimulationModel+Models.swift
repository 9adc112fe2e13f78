import TestSupport
import TributaryModel

extension SimulationModel {
    static func model(isUnique: Bool = false) throws -> Model {
        try Model(yaml: isUnique ? uniqueText(isGrown: false) : text)
    }

    static func grown(isUnique: Bool = false) throws -> Model {
        try Model(yaml: isUnique ? uniqueText(isGrown: true) : grownText)
    }
}
