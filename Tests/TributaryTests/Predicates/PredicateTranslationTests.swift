import Foundation
import TestSupport
import Testing
import Tributary

struct PredicateTranslationTests {
    private func same(_ predicate: Predicate<Employee>, _ text: String) throws -> Bool {
        let translated = try ObjectPredicate(predicate)
        let wanted = try ObjectPredicate(parsing: text)
        if translated != wanted { print("\(translated)") }
        return translated == wanted
    }

    private func refusal(_ predicate: Predicate<Employee>) -> String? {
        let error = #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(predicate) }
        return error?.reason
    }

    @Test func comparisonsAreThoseOfTheFormatLanguage() throws {
        let limit: Int16 = 30
        #expect(try same(#Predicate { $0.name == "Ann" }, "name == 'Ann'"))
        #expect(try same(#Predicate { $0.name != "Ann" }, "NOT name == 'Ann'"))
        #expect(try same(#Predicate { $0.age > limit }, "age > 30"))
        #expect(try same(#Predicate { 3 <= $0.age && $0.age < limit }, "3 <= age AND age < 30"))
        #expect(try same(#Predicate { $0.age > 1 || $0.name == "b" }, "age > 1 OR name == 'b'"))
        #expect(try same(#Predicate { $0.salary! >= 5.5 }, "salary >= 5.5"))
        #expect(try same(#Predicate { $0.age * 2 + 1 > 7 }, "age * 2 + 1 > 7"))
        #expect(try same(#Predicate { $0.age % 2 == 1 }, "modulus:by:(age, 2) == 1"))
        #expect(try same(#Predicate { $0.age / 2 == 1 }, "age / 2 == 1"))
        #expect(try same(#Predicate { (1...5).contains($0.age) }, "age >= 1 AND age <= 5"))
        #expect(try same(#Predicate { (1..<5).contains($0.age) }, "age >= 1 AND age < 5"))
    }

    @Test func nilMeansWhatItMeansInSwift() throws {
        #expect(try same(#Predicate { $0.salary == nil }, "salary == NULL"))
        #expect(try same(#Predicate { $0.salary != nil }, "NOT salary == NULL"))
        #expect(try same(#Predicate { $0.salary == 5 }, "salary == 5.0"))
        #expect(try same(#Predicate { $0.salary != 5 }, "NOT salary == 5.0"))
        #expect(try same(#Predicate { $0.department == nil }, "department == NULL"))
        #expect(try same(#Predicate { $0.department?.title == "R&D" }, "department.title == 'R&D'"))
        #expect(try same(#Predicate { $0.salary ?? 0 > 5 }, "salary != NULL AND salary > 5.0"))
        #expect(try same(#Predicate { $0.salary ?? 9 > 5 }, "(salary != NULL AND salary > 5.0) OR salary == NULL"))
        #expect(try same(#Predicate { $0.code == $0.mood }, "code == mood OR (code == NULL AND mood == NULL)"))
    }

    @Test func stringsAreSearched() throws {
        let part = "an"
        #expect(try same(#Predicate { $0.name.contains(part) }, "name CONTAINS 'an'"))
        #expect(try same(#Predicate { $0.name.starts(with: "a") }, "name BEGINSWITH 'a'"))
        #expect(try same(#Predicate { $0.name.localizedStandardContains("É") }, "name CONTAINS[cd] 'É'"))
        #expect(try same(#Predicate { $0.name.isEmpty }, "name == ''"))
        #expect(try same(#Predicate { $0.name.unicodeScalars.count > 3 }, "length:(name) > 3"))
        #expect(try same(#Predicate { $0.code?.contains("x") ?? false }, "code != NULL AND code CONTAINS 'x'"))
    }

    @Test func relationshipsBecomeSubqueries() throws {
        let ids: [Int16] = [1, 2]
        #expect(try same(#Predicate { ids.contains($0.age) }, "age IN {1, 2}"))
        #expect(try same(#Predicate { $0.projects.count > 2 }, "projects.@count > 2"))
        #expect(try same(#Predicate { $0.projects.isEmpty }, "projects.@count == 0"))
        #expect(
            try same(
                #Predicate { $0.projects.contains { $0.title == "Till" } },
                "SUBQUERY(projects, $v1, $v1.title == 'Till').@count > 0"
            )
        )
        #expect(
            try same(
                #Predicate { $0.projects.allSatisfy { $0.title == "Till" } },
                "SUBQUERY(projects, $v1, NOT $v1.title == 'Till').@count == 0"
            )
        )
        #expect(
            try same(
                #Predicate { $0.projects.filter { $0.title == "Till" }.count > 2 },
                "SUBQUERY(projects, $v1, $v1.title == 'Till').@count > 2"
            )
        )
        #expect(
            try same(
                #Predicate { employee in
                    employee.projects.contains { project in project.members.contains { $0.age > employee.age } }
                },
                "SUBQUERY(projects, $v1, SUBQUERY($v1.members, $v2, $v2.age > age).@count > 0).@count > 0"
            )
        )
    }

    @Test func sidesOfAConditionExcludeEachOther() throws {
        #expect(
            try same(
                #Predicate { $0.age > 2 ? $0.name == "a" : $0.name == "b" },
                "(age > 2 AND name == 'a') OR (NOT age > 2 AND name == 'b')"
            )
        )
        #expect(
            try same(
                #Predicate { if let department = $0.department { department.title == "x" } else { false } },
                "department != NULL AND department.title == 'x'"
            )
        )
    }

    @Test func propertiesOfASuperclassAreKnown() throws {
        let predicate = try ObjectPredicate(#Predicate<Foreman> { $0.name == "Ann" && $0.bonus == nil })
        #expect(predicate == (try ObjectPredicate(parsing: "name == 'Ann' AND bonus == NULL")))
    }

    @Test func objectsAreNamedByTheirIDs() async throws {
        let folder = try TemporaryFolder("translation")
        let container = try await Company.open(folder)
        try await container.performBackgroundTask { context in
            let (ann, bob) = (try context.insert(Employee.self), try context.insert(Employee.self))
            (ann.name, bob.name) = ("Ann", "Bob")
            let department = try context.insert(Department.self)
            bob.department = department
            try context.save()
            let (id, uniqueID, departmentID) = (ann.objectID, bob.uniqueID, department.objectID)
            func names(_ predicate: Predicate<Employee>) throws -> [String] {
                try context.fetch(Employee.self, predicate: ObjectPredicate(predicate)).map(\.name)
            }
            #expect(try names(#Predicate { $0.objectID == id }) == ["Ann"])
            #expect(try names(#Predicate { $0.uniqueID == uniqueID }) == ["Bob"])
            #expect(try names(#Predicate { $0.department?.objectID == departmentID }) == ["Bob"])
            #expect(try names(#Predicate { [id].contains($0.objectID) }) == ["Ann"])
        }
    }

    @Test func expressionsWithoutACounterpartAreNamed() throws {
        #expect(refusal(#Predicate { $0.name.count > 3 })?.contains("name.unicodeScalars.count") == true)
        #expect(refusal(#Predicate { $0 is Foreman })?.contains("TypeCheck<Variable<Employee>, Foreman>") == true)
        #expect(refusal(#Predicate { $0.projects.first != nil })?.contains("'projects' supports only count") == true)
        let computed = #Predicate<Exhibit> { $0.label == "a!" }
        let error = try #require(throws: ObjectPredicateError.self) { try ObjectPredicate(computed) }
        #expect(error.reason.contains("it is computed from 'title' of Exhibit"))
        let twice = #Predicate<Exhibit> { $0.sum > 3 }
        let other = try #require(throws: ObjectPredicateError.self) { try ObjectPredicate(twice) }
        #expect(other.reason.contains("'large', 'medium'"))
        let line = #Predicate<Exhibit> { $0.address?.line == "a" }
        #expect(throws: ObjectPredicateError.self) { try ObjectPredicate(line) }
    }

    @Test func membersOfCompositesAreNamedAsInTheModel() throws {
        let predicate = #Predicate<Exhibit> { $0.address?.street == "a" && $0.address?.isOpen == true }
        #expect(
            try ObjectPredicate(predicate)
                == ObjectPredicate(parsing: "address.street == 'a' AND address.open == TRUE")
        )
        let nested = #Predicate<Exhibit> { $0.address?.geo?.latitude == 1.5 }
        #expect(try ObjectPredicate(nested) == ObjectPredicate(parsing: "address.geo.latitude == 1.5"))
        let keys = Exhibit.keys.address.street == "a" && Exhibit.keys.address.isOpen == true
        #expect(try keys == ObjectPredicate(predicate))
        #expect(Exhibit.keys.address.geo.longitude.ascending == SortKey("address.geo.longitude"))
    }
}
