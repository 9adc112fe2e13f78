import TributaryModel

/// The model against which predicates and sort keys of queries are bound.
enum QuerySample {
    static let model: Model = {
        let text = """
            version: "1"
            entities:
              Person:
                attributes:
                  name: String
                  age: Integer 32?
                  height: Double?
                  born: Date?
                  photo: Binary?
                  price: Decimal?
                  isActive: Boolean?
                  key: UUID?
                relationships:
                  team: {to: Team, inverse: members}
                  friends: {to: Person, many: true, inverse: friends}
              Pupil: {parent: Person, attributes: {grade: Integer 16?}}
              Team:
                attributes: {title: String?}
                relationships:
                  members: {to: Person, many: true, inverse: team}
            """
        do { return try Model(yaml: text) } catch { preconditionFailure("the sample model is not valid: \(error)") }
    }()

    static let entity: Entity = {
        guard let entity = model.entity(named: "Person") else { preconditionFailure("the sample has no Person") }
        return entity
    }()
}
