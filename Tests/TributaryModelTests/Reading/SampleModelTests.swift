import TestSupport
import Testing
import TributaryModel

/// The installed sample model can be loaded.
@Suite struct SampleModelTests {
    @Test func loads() throws {
        let model = try Model(contentsOf: PackageFolder.path("etc/tributary/model.yaml"))
        let employee = try #require(model.entity(named: "Employee"))
        #expect(employee.attributes.map(\.name) == ["name", "salary"])
        #expect(employee.relationships.map(\.destination) == ["Department"])
        #expect(model.entity(named: "Department")?.relationships.first?.isToMany == true)
    }
}
