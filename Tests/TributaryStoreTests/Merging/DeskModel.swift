import TributaryModel

/// Persons (A) and desks (D) with one-to-one owners, shared desks and friends.
enum DeskModel {
    static func make() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  A:
                    relationships:
                      desk: {to: D?, inverse: owner}
                      desks: {to: D, many: true, inverse: people}
                      friends: {to: A, many: true}
                  D:
                    relationships:
                      owner: {to: A?, inverse: desk}
                      people: {to: A, many: true, inverse: desks}
                """
        )
    }
}
