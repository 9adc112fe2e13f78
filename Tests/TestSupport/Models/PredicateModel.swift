/// A model of people, departments and projects with every kind of property that predicates and sort keys can use.
package enum PredicateModel {
    package static let text = """
        version: "1"
        entities:
          Person:
            abstract: true
            attributes: {name: String?, born: Date?, photo: Binary?, site: URI?}
          Employee:
            parent: Person
            attributes:
              salary: Double?
              level: Integer 32?
              visits: Integer 64?
              active: Boolean?
              code: UUID?
              balance: Decimal?
              like: String?
              note: {type: String, optional: true, transient: true}
            relationships:
              department: {to: Department?, inverse: employees}
              projects: {to: Project, many: true, inverse: members}
              boss: {to: Employee?, inverse: reports}
              reports: {to: Employee, many: true, inverse: boss}
          Department:
            attributes: {title: String?}
            relationships:
              employees: {to: Employee, many: true, inverse: department}
              lead: {to: Employee?}
          Project:
            attributes: {title: String?, hours: Integer 64?}
            relationships: {members: {to: Employee, many: true, inverse: projects}}
        """
}
