import TestSupport
import TributaryModel

extension SimulationModel {
    static func model() throws -> Model { try Model(yaml: text) }

    static func grown() throws -> Model { try Model(yaml: grownText) }
}
