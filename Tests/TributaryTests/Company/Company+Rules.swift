import TributaryModel

extension Company {
    /// The model with other delete rules, and without a bound for the number of projects.
    static func model(_ rules: GraphModel.Rules) throws -> Model {
        var definitions = definitions
        for entity in definitions.indices {
            for index in definitions[entity].relationships.indices {
                switch definitions[entity].relationships[index].name {
                case "employees": definitions[entity].relationships[index].deleteRule = rules.employees
                case "members": definitions[entity].relationships[index].deleteRule = rules.members
                case "projects":
                    definitions[entity].relationships[index].deleteRule = rules.projects
                    definitions[entity].relationships[index].maximumCount = 0
                default: continue
                }
            }
        }
        return try Model(version: "1", entities: definitions)
    }
}
