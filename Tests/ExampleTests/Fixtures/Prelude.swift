import Foundation
import Logging
import TransactionLog
import Tributary
import TributaryChanges
import TributaryModel

// The surroundings of the examples in the documentation: a company, a container and what a program has around them.

final class Department: ManagedObject {
    override class var entityName: String { "Department" }
    static let title = Field<String>("title")
    static let employees = ToMany<Employee>("employees")
    var title: String {
        get { self[Department.title] }
        set { self[Department.title] = newValue }
    }
}

final class Project: ManagedObject {
    override class var entityName: String { "Project" }
    static let title = Field<String>("title")
}

final class Employee: ManagedObject {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")
    static let salary = Field<Double?>("salary")
    static let address = Field<Address?>("address")
    static let department = ToOne<Department>("department")
    static let projects = ToMany<Project>("projects")
    var name: String {
        get { self[Employee.name] }
        set { self[Employee.name] = newValue }
    }
    var salary: Double? {
        get { self[Employee.salary] }
        set { self[Employee.salary] = newValue }
    }
}

final class Product: ManagedObject {
    override class var entityName: String { "Product" }
    static let code = Field<String?>("code")
}

final class Drawing: ManagedObject {
    override class var entityName: String { "Drawing" }
}

struct Address: CompositeValue, Codable {
    var street: String?
    init(_ fields: CompositeFields) { street = fields["street", .string] }
    var compositeFields: CompositeFields {
        var fields = CompositeFields()
        fields.set("street", to: street)
        return fields
    }
}

struct Shape: Sendable { var corners = 3 }

struct Path: Sendable { var text = "" }

struct ShapeTransformer: AttributeTransforming {
    func bytes(of value: Shape) throws -> [UInt8] { [UInt8(clamping: value.corners)] }
    func value(of bytes: [UInt8]) throws -> Shape { Shape(corners: Int(bytes[0])) }
}

final class Label {
    var text = ""
    var isHidden = false
}

final class Table {
    func apply(_ diff: FetchedResultsDiff) {}
}

struct Given {
    var container: PersistentContainer
    var background: BackgroundContext
    var model: Model
    var group: FetchedValues
    var logger: Logger
}

@MainActor var given: Given { fatalError("the examples are compiled, not run") }
@MainActor var container: PersistentContainer { given.container }
@MainActor var background: BackgroundContext { given.background }
@MainActor var model: Model { given.model }
@MainActor var group: FetchedValues { given.group }
@MainActor var view: ManagedObjectContext { container.viewContext }
@MainActor var context: ManagedObjectContext { container.viewContext }
@MainActor var employee: Employee { fatalError("the examples are compiled, not run") }
@MainActor var department: Department { fatalError("the examples are compiled, not run") }
@MainActor var sales: Department { department }
@MainActor var till: Project { fatalError("the examples are compiled, not run") }
@MainActor var request = FetchRequest("Employee")
@MainActor let label = Label()
@MainActor let indicator = Label()
@MainActor let table = Table()
@MainActor var list: [PropertyValue?] = []
@MainActor var file: OpenFile { fatalError("the examples are compiled, not run") }
@MainActor var verified: VerifiedSegment { fatalError("the examples are compiled, not run") }
@MainActor var header: SegmentHeader { fatalError("the examples are compiled, not run") }
@MainActor var transaction: LogTransaction { fatalError("the examples are compiled, not run") }
@MainActor var departments: [Department] { [department] }
let age = 30
let lowest = 1_000.0
let titles = ["Lab", "R&D"]
let position: UInt64 = 7
let descriptor: Int32 = 1
let path = "00000000000000000001-00000000000000000009.tlog"
let bytes: [UInt8] = []
let logger = Logger(label: "examples")
let names = ["Ann", "Bob"]
let parts = ["a", "b"]

func index(_ id: ManagedObjectID) {}

@MainActor func show(_ employees: [Employee]) {}

extension ManagedObjectContext {
    func load(_ part: String) throws {}
}
