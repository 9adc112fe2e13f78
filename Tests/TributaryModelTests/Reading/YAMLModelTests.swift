import Testing
import TributaryChanges
import TributaryModel

@Suite("YAML models")
struct YAMLModelTests {
    private static let company = """
        version: "3"
        entities:
          Person:
            abstract: true
            renamed_from: Human
            info: {colour: blue}
            attributes:
              name: {type: String, min: 1, max: 80, pattern: '\\S.*', default: no}
              born: Date?
              home: {composite: Address, optional: true}
          Employee:
            parent: Person
            class: Company.Employee
            attributes:
              salary: {type: Double, optional: true, default: 0, min: 0, merge: latest}
              hours: {type: Integer64, default: 0, merge: counter, preserve_after_deletion: true}
              since: {type: Date, default: 2001-01-02}
              age: {transient: true}
            relationships:
              department: {to: Department?, inverse: employees, delete: deny}
              projects: {to: Project, many: true, inverse: members, ordered: true}
            unique: [[name, born], salary]
            indexes:
              byName: [name, -salary]
          Department:
            relationships:
              employees: {to: Employee, many: true, inverse: department, delete: Cascade, min: 1, max: 9}
          Project:
            relationships:
              members: {to: Employee, many: true, inverse: projects}
          Empty:
        composites:
          Address: {city: String, zip: Integer 32?}
        requests:
          rich: {entity: Employee, where: "salary > $LIMIT", limit: 5}
        configurations:
          Local: [Employee, Department]
        """

    @Test func everythingIsRead() throws {
        let model = try Model(yaml: YAMLModelTests.company)
        #expect(model.version == "3" && model.notices.isEmpty)
        #expect(model.entities.map(\.name) == ["Department", "Employee", "Empty", "Person", "Project"])
        let employee = try #require(model.entity(named: "Employee"))
        let name = try #require(employee.property(named: "name")?.attribute)
        #expect(name.defaultValue == .string("no") && name.minimum == .integer(1) && name.regularExpression == "\\S.*")
        #expect(try #require(employee.property(named: "born")?.attribute).isOptional)
        let home = try #require(employee.property(named: "home")?.attribute)
        #expect(home.compositeAttributes.map(\.type) == [.string, .integer32])
        #expect(home.compositeAttributes.map(\.isOptional) == [false, true])
        let hours = try #require(employee.property(named: "hours")?.attribute)
        #expect(hours.mergeRule == .counter && hours.preservesValueAfterDeletion)
        #expect(employee.property(named: "since")?.attribute?.defaultValue == .date(978_393_600))
        #expect(employee.property(named: "age")?.attribute?.type == .undefined)
        let department = try #require(employee.property(named: "department")?.relationship)
        #expect(department.isOptional && department.deleteRule == .deny && department.destination == "Department")
        let projects = try #require(employee.property(named: "projects")?.relationship)
        #expect(projects.isOptional && projects.isOrdered && projects.isToMany)
        let employees = try #require(model.entity(named: "Department")?.property(named: "employees")?.relationship)
        #expect(!employees.isOptional && employees.minimumCount == 1 && employees.maximumCount == 9)
        #expect(employee.uniquenessConstraints == [["name", "born"], ["salary"]])
        #expect(
            employee.fetchIndexes == [
                FetchIndex(name: "byName", elements: [.init("name"), .init("salary", ascending: false)])
            ]
        )
        #expect(model.fetchRequests["rich"]?.fetchLimit == 5 && model.configurations["Local"]?.count == 2)
        #expect(model.entity(named: "Person")?.userInfo == ["colour": "blue"])
    }

    /// A line that replaces an attribute of `E` (line 4), and a text in its error.
    @Test(arguments: [
        ("a: Strng", 4, "entity E, attribute a", "column 7: the type 'Strng'"),
        ("a: {type: String, defualt: x}", 4, "entity E, attribute a", "column 25: the key 'defualt'"),
        ("a: {optional: true}", 4, "entity E, attribute a", "'type'"),
        ("a: {type: String, optional: yes}", 4, "entity E, attribute a", "neither true nor false"),
        ("a: {type: Integer16, default: 70000}", 4, "entity E, attribute a", "'70000'"),
        ("a: {type: Date, default: tomorrow}", 4, "entity E, attribute a", "'tomorrow'"),
        ("a: {type: String, merge: sum}", 4, "entity E, attribute a", "'sum'"),
        ("a: [String]", 4, "entity E, attribute a", "mapping"),
        ("a: {type: [String]}", 4, "entity E, attribute a", "one value"),
        ("a: {composite: None}", 4, "entity E, attribute a", "'None'"),
        ("a: Undefined", 4, "entity E, attribute a", "transient"),
        ("_a: String", 4, "entity E, attribute _a", "underscore"),
        ("a: String\n      a: Date", 5, nil, "column 7: the key 'a' occurs twice, first in line 4"),
        ("a: {type: String", 5, nil, "column 1: the YAML is not well formed"),
        ("a: \u{7}", 4, nil, "column 10: the YAML is not well formed"),
        ("a: String\n    attributs: {}", 5, "entity E", "'attributs'"),
        ("a: String\n    unique: [b]", 2, "entity E", "column 3: "),
        ("a: String\n    parent: F", 2, "entity E", "'F'"),
        ("a: String\n    relationships: {r: {to: E, inverse: s}}", 5, "entity E, relationship r", "'s'"),
        ("a: String\n    relationships: {r: {inverse: s}}", 5, "entity E, relationship r", "'to'"),
        ("a: String\n    relationships: {r: {to: E, delete: maybe}}", 5, "entity E, relationship r", "'maybe'"),
        ("a: String\nrequests: {q: {entity: X}}", 5, "request q", "'X'"),
        ("a: String\nrequests: {q: {entity: E, where: 'a =='}}", 5, "request q", "at character 5"),
        ("a: String\nconfigurations: {c: [X]}", 5, "configuration c", "'X'"),
        ("a: String\nversions: 3", 5, "model", "'versions'"),
    ])
    func errorsNameFileLineColumnAndKey(text: String, line: Int, element: String?, words: String) throws {
        let yaml = "entities:\n  E:\n    attributes:\n      \(text)\n"
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(yaml: yaml, file: "m.yaml") }
        #expect(error?.file == "m.yaml")
        #expect(error?.line == line)
        #expect(error?.element == element)
        #expect(error?.column != nil && error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    /// A key that stands for 9 to the power of 11 values; the fuzzer's corpus has a file of this kind.
    @Test(arguments: ["? *a11\n: 1", "*a11 : 1", "{[*a11]: 1}", "x: {?*a11 : 1}", "[*a11, {*a11: 1}]"])
    func aKeyOfAliasesIsRefusedBeforeItIsExpanded(key: String) {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...11 {
            text +=
                "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ") + "]\n"
        }
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(yaml: text + key) }
        #expect(
            error?.line == 13 && error?.column != nil
                && error?.reason.contains("plain text") == true,
            "\(String(describing: error))"
        )
    }

    @Test func aliasesAsValuesAreRead() throws {
        let model = try Model(
            yaml: """
                entities:
                  E: {attributes: {a: &text {type: String, max: 3}, b: *text,c: *text}}
                  F:
                    attributes:
                      d: *text
                """
        )
        #expect(model.entity(named: "E")?.attributes.count == 3)
    }

    /// Only a word without quotes means that there is no value.
    @Test(
        arguments: [
            ("null", .null), ("~", .null), ("", .null), ("\"null\"", .string("null")), ("'~'", .string("~")),
            ("\"\"", .string("")), ("''", .string("")), ("nil", .string("nil")),
        ] as [(String, PropertyValue)]
    )
    func aQuotedWordIsADefault(text: String, value: PropertyValue) throws {
        let model = try Model(yaml: "entities: {E: {attributes: {a: {type: String, default: \(text)}}}}")
        #expect(model.entity(named: "E")?.property(named: "a")?.attribute?.defaultValue == value)
    }

    @Test(arguments: ["", "# nothing", "null", "[1, 2]", "text"])
    func noModels(text: String) {
        #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(yaml: text, file: "m.yaml") }
    }
}
