import TestSupport
import Testing
import Tributary

/// Typed keys make the same predicates as the format language.
struct TypedPredicateTests {
    private let keys = Employee.keys

    private func same(_ predicate: ObjectPredicate, _ text: String) -> Bool {
        (try? ObjectPredicate(parsing: text)) == predicate
    }

    @Test func comparisonsAreThoseOfTheFormatLanguage() {
        #expect(same(keys.name == "Ann", "name == 'Ann'"))
        #expect(same(keys.name != "Ann", "name != 'Ann'"))
        #expect(same(keys.age > 30, "age > 30"))
        #expect(same(keys.age >= 30, "age >= 30"))
        #expect(same(keys.salary < 1000.5, "salary < 1000.5"))
        #expect(same(keys.salary <= 1000, "salary <= 1000.0"))
        #expect(same(keys.salary == nil, "salary == NULL"))
        #expect(same(keys.salary != nil, "salary != NULL"))
        #expect(same(keys.age.between(1, 2), "age BETWEEN {1, 2}"))
        #expect(same(keys.age.in([1, 2]), "age IN {1, 2}"))
        #expect(same(keys.code == keys.name, "code == name"))
        #expect(same(keys.name > keys.code, "name > code"))
    }

    @Test func stringsTakeOptions() {
        #expect(same(keys.name.beginsWith("a", .caseInsensitive), "name BEGINSWITH[c] 'a'"))
        #expect(same(keys.name.endsWith("a", [.caseInsensitive, .diacriticInsensitive]), "name ENDSWITH[cd] 'a'"))
        #expect(same(keys.code.contains("a", .diacriticInsensitive), "code CONTAINS[d] 'a'"))
        #expect(same(keys.name.like("a*"), "name LIKE 'a*'"))
        #expect(same(keys.name.matches("a.*"), "name MATCHES 'a.*'"))
        #expect(same(keys.name.equals("a", .caseInsensitive), "name ==[c] 'a'"))
        #expect(same(keys.name.in(["a", "b"], .caseInsensitive), "name IN[c] {'a', 'b'}"))
    }

    @Test func pathsLeadThroughRelationships() {
        #expect(same(keys.department.title == "R&D", "department.title == 'R&D'"))
        #expect(same(keys.badge.owner.department.title == nil, "badge.owner.department.title == NULL"))
        #expect(same(keys.department == nil, "department == NULL"))
        #expect(same(keys.department.isPresent, "department != NULL"))
        #expect(same(keys.projects.count > 2, "projects.@count > 2"))
        #expect(same(keys.department.employees.count == 0, "department.employees.@count == 0"))
        #expect(same(keys.projects.any.title == "Till", "ANY projects.title == 'Till'"))
        #expect(same(keys.projects.all.title != nil, "ALL projects.title != NULL"))
        #expect(same(keys.projects.none.members.salary > 3, "NONE projects.members.salary > 3.0"))
        #expect(same(Department.keys.employees.sum(\.salary) > 5, "employees.@sum.salary > 5.0"))
        #expect(same(Department.keys.employees.max(\.age) == nil, "employees.@max.age == NULL"))
        #expect(same(Department.keys.employees.min(\.age) > 3, "employees.@min.age > 3"))
        #expect(same(Department.keys.employees.average(\.age) > 3, "employees.@avg.age > 3.0"))
        #expect(same(keys.department.employees.any.name.like("?"), "ANY department.employees.name LIKE '?'"))
    }

    @Test func keysAreInherited() {
        #expect(same(Foreman.keys.name == "Ann" && Foreman.keys.bonus > 1, "name == 'Ann' AND bonus > 1.0"))
    }

    @Test func logicBindsAsInTheFormatLanguage() {
        let predicate = keys.age > 1 && keys.age < 9 && keys.name == "a" || !(keys.name == "b")
        #expect(same(predicate, "(age > 1 AND age < 9 AND name == 'a') OR NOT name == 'b'"))
    }

    @Test func sortKeysComeFromKeys() {
        #expect(keys.name.ascending == SortKey("name"))
        #expect(keys.department.title.descending == SortKey("department.title", ascending: false))
        #expect(keys.projects.count.ascending == SortKey("projects.@count"))
    }

    @Test func typedPredicatesFindObjects() async throws {
        let folder = try TemporaryFolder("typed")
        let container = try await Company.open(folder)
        try await container.performBackgroundTask { context in
            let department = try context.department("R&D")
            let project = try context.project("Till")
            for (index, name) in ["Ann", "Bob", "Cid"].enumerated() {
                let employee = try context.hire(name)
                employee.salary = index == 2 ? nil : Double(index) * 1000
                employee.department = index == 0 ? nil : department
                if index == 1 { employee.projects = [project] }
            }
            func names(_ predicate: ObjectPredicate) throws -> [String] {
                try context.fetch(Employee.self, predicate: predicate, sortKeys: [Employee.keys.name.descending])
                    .map(\.name)
            }
            for _ in 0..<2 {
                #expect(try names(Employee.keys.salary >= 0) == ["Bob", "Ann"])
                #expect(try names(Employee.keys.salary == nil) == ["Cid"])
                #expect(try names(Employee.keys.department == department) == ["Cid", "Bob"])
                #expect(try names(Employee.keys.department != department.objectID) == [])
                #expect(try names(Employee.keys.department.in([department])) == ["Cid", "Bob"])
                #expect(try names(Employee.keys.projects.contains(project)) == ["Bob"])
                #expect(try names(Employee.keys.projects.any.title == "Till") == ["Bob"])
                #expect(try names(Employee.keys.projects.count == 0 && Employee.keys.department != nil) == ["Cid"])
                try context.save()
            }
        }
    }
}
