/// The model of the daemon's, the command's and the synchronization's tests: employees in departments.
package enum EmployeeModel {
    package static let text = text(adding: "")

    /// The model with a further attribute of employees, which `more` describes.
    package static func text(adding more: String) -> String {
        """
        version: "1"
        entities:
          Employee:
            attributes:
              name: {type: String}
              salary: {type: Double, optional: true, max: 100000}
              count: {type: Integer 64, optional: true}
              \(more)
            relationships:
              department: {to: Department, inverse: employees, optional: true}
          Department:
            attributes:
              title: {type: String, optional: true}
            relationships:
              employees: {to: Employee, inverse: department, many: true, optional: true}
        """
    }
}
