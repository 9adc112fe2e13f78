import Testing
import TributaryChanges

@Suite struct NearestNameTests {
    private static let names = ["Employee", "Department", "Bo"]

    @Test(arguments: [("employee", "Employee"), ("Employees", "Employee"), ("Deprtmnt", "Department"), ("Bo", "Bo")])
    func aNameThatDiffersLittleIsMeant(word: String, name: String) {
        #expect(word.nearest(in: Self.names) == name)
    }

    @Test(arguments: ["", "Boat", "Emp", "Xy", String(repeating: "Employee", count: 100_000)])
    func anotherWordResemblesNothing(word: String) {
        #expect(word.nearest(in: Self.names) == nil)
    }
}
