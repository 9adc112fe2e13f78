import TestSupport
package import TributaryModel

extension SimulationModel {
    private typealias Models = (first: Model, grown: Model)

    private static let plain = Result { () throws -> Models in (try Model(yaml: text), try Model(yaml: grownText)) }
    private static let unique = Result { () throws -> Models in
        (try Model(yaml: uniqueText(isGrown: false)), try Model(yaml: uniqueText(isGrown: true)))
    }

    package static func model(isUnique: Bool = false) throws -> Model { try (isUnique ? unique : plain).get().first }

    package static func grown(isUnique: Bool = false) throws -> Model { try (isUnique ? unique : plain).get().grown }
}
