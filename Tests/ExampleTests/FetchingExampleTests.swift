import Testing
import Tributary

/// Lists that follow, results as they arrive, sums, and predicates.
@Suite struct FetchingExampleTests {
    @Test @MainActor func aListFollowsWhatOthersSave() async throws {
        let store = try await ExampleStore()
        let container = store.container
        let bern = try await store.companies(["Aare", "Bund"], in: "Bern")
        try await container.settled()
        let list = try CompanyList(container)
        #expect(list.lines == ["Bern:", "Aare", "Bund"])

        // The list has never seen these: they come in through a merge.
        // One save: the timer may have the main context merge between two.
        _ = try await store.companies(["Colosseo"], in: "Rome")
        try await container.settled()
        #expect(list.lines == ["Bern:", "Aare", "Bund", "Rome:", "Colosseo"])
        #expect(list.story == ["1 new, 0 gone, 0 moved, 0 changed"])

        try await container.performBackgroundTask { context in
            context.object(with: bern[0], as: Company.self)?.city = "Rome"
            context.delete(context.object(with: bern[1]))
            try context.save()
        }
        try await container.settled()
        #expect(list.lines == ["Rome:", "Aare", "Colosseo"])
        #expect(list.story.last == "0 new, 1 gone, 1 moved, 0 changed")

        // Unsaved changes of its own context count as well.
        let company = try container.viewContext.insert(Company.self)
        (company.name, company.city) = ("Zytglogge", "Bern")
        container.viewContext.processPendingChanges()
        #expect(list.lines == ["Bern:", "Zytglogge", "Rome:", "Aare", "Colosseo"])
        container.viewContext.rollback()
        #expect(list.lines == ["Rome:", "Aare", "Colosseo"])
        try await container.close()
    }

    @Test @MainActor func namesArriveInPortions() async throws {
        let store = try await ExampleStore()
        _ = try await store.companies((1...45).map { "Company \($0)" })
        var portions: [Int] = []
        var names: [String] = []
        try await streamNames(of: store.container) { portion in
            portions.append(portion.count)
            names += portion
        }
        #expect(portions == [20, 20, 5])
        #expect(names.count == 45 && names == names.sorted())
        try await store.container.close()
    }

    @Test func sumsAreComputedByTheStore() async throws {
        let store = try await ExampleStore()
        let container = store.container
        let ids = try await store.companies(["A", "B"])
        try await container.performBackgroundTask { context in
            let second = try context.insert(Employee.self)
            (second.name, second.salary) = ("Second", 500)
            second.company = context.object(with: ids[1], as: Company.self)
            try context.insert(Employee.self).name = "Nobody's"
            try context.save()
        }
        await container.mergePendingChanges()
        #expect(try await payroll(of: container) == ["B pays 1500.0 to 2", "A pays 1000.0 to 1"])
        try await container.close()
    }

    @Test @MainActor func theFirstObjectsAreSavedAndFound() async throws {
        let store = try await ExampleStore()
        #expect(try hireFirst(in: store.container) == ["Ann"])
        #expect(!store.container.viewContext.hasChanges)
        try await store.container.close()
    }

    @Test func oneQuestionInThreeWays() async throws {
        let store = try await ExampleStore()
        _ = try await store.companies(["Aare"], in: "Bern")
        _ = try await store.companies(["Colosseo"], in: "Rome")
        for (index, predicate) in try wellPaid(in: "Bern", above: 999).enumerated() {
            let names = try await store.container.performBackgroundTask { context in
                try context.fetch(Employee.self, predicate: predicate).map(\.name)
            }
            #expect(names == ["Aare's first"], "way \(index + 1)")
        }
        for predicate in try wellPaid(in: "Bern", above: 1000) {
            let count = try await store.container.performBackgroundTask { context in
                try context.count(for: FetchRequest("Employee", predicate: predicate))
            }
            #expect(count == 0)
        }
        try await store.container.close()
    }
}
