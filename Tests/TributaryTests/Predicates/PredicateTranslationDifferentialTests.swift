import Foundation
import TestSupport
import Testing
import Tributary

/// A fetch with a translated `#Predicate` finds the objects for which Foundation says yes.
struct PredicateTranslationDifferentialTests {
    private struct Constants: Sendable {
        var number: Int16
        var amount: Double
        var maybe: Double?
        var text: String
        var maybeText: String?
        var ages: [Int16]
        var maybes: [Double?]
        var range: ClosedRange<Int16>
    }

    private static let texts = ["", "a", "b", "ab", "ba", "Ab", "abc", "x y", "B", "AB1"]
    private static let codes = ["AB1", "AB12", "BA2", "XY3"]

    private func constants(_ random: inout SeededGenerator) -> Constants {
        let low = Int16.random(in: -3...3, using: &random)
        func maybe<Value>(_ value: Value) -> Value? { Int.random(in: 0..<3, using: &random) == 0 ? nil : value }
        return Constants(
            number: Int16.random(in: -4...4, using: &random),
            amount: Double(Int.random(in: -4...4, using: &random)) / 2,
            maybe: maybe(Double(Int.random(in: 0...3, using: &random))),
            text: Self.texts.randomElement(using: &random) ?? "",
            maybeText: maybe((Self.texts + Self.codes).randomElement(using: &random) ?? ""),
            ages: (0..<2).map { _ in Int16.random(in: -3...3, using: &random) },
            maybes: [maybe(1), maybe(2)],
            range: low...(low + 2)
        )
    }

    private func comparisons(_ it: Constants) -> [Predicate<Employee>] {
        let (number, amount, maybe) = (it.number, it.amount, it.maybe)
        let (ages, maybes, range) = (it.ages, it.maybes, it.range)
        return [
            #Predicate { $0.age == number }, #Predicate { $0.age != number }, #Predicate { $0.age <= number },
            #Predicate { number < $0.age }, #Predicate { $0.salary == amount }, #Predicate { $0.salary != amount },
            #Predicate { $0.salary == maybe }, #Predicate { $0.salary != maybe },
            #Predicate { $0.salary ?? amount > 1 }, #Predicate { ($0.salary ?? 0) + amount > ($0.salary ?? 2) },
            #Predicate { $0.age * 2 - number > 1 }, #Predicate { $0.age / 2 == number },
            #Predicate { $0.age % 2 == number }, #Predicate { -$0.age < number },
            #Predicate { range.contains($0.age) }, #Predicate { (number..<9).contains($0.age) },
            #Predicate { ages.contains($0.age) }, #Predicate { maybes.contains($0.salary) },
            #Predicate { $0.salary == nil ? $0.age > number : $0.age < number },
            #Predicate { !($0.age > number) || $0.salary == nil },
        ]
    }

    private func strings(_ it: Constants) -> [Predicate<Employee>] {
        let (text, maybe) = (it.text, it.maybeText)
        return [
            #Predicate { $0.name.contains(text) }, #Predicate { $0.name.starts(with: text) },
            #Predicate { $0.name == text }, #Predicate { $0.name < text }, #Predicate { $0.code == maybe },
            #Predicate { $0.code != maybe }, #Predicate { $0.code?.contains(text) ?? true },
            #Predicate { $0.code?.contains(text) == nil }, #Predicate { ($0.code ?? text).isEmpty },
            #Predicate { $0.name.unicodeScalars.count > 1 }, #Predicate { text.contains($0.name) },
            #Predicate { ($0.code ?? $0.name) == text }, #Predicate { $0.name.localizedStandardContains(text) },
            #Predicate { $0.code == $0.department?.title },
        ]
    }

    private func relationships(_ it: Constants) -> [Predicate<Employee>] {
        let (number, text, maybe, ages) = (it.number, it.text, it.maybeText, it.ages)
        return [
            #Predicate { $0.department == nil }, #Predicate { $0.department?.title == maybe },
            #Predicate { $0.department?.title != text },
            #Predicate { $0.department?.employees.count ?? 0 > 2 },
            #Predicate { $0.department?.employees.contains { $0.age > number } ?? false },
            #Predicate { $0.department?.employees.allSatisfy { $0.age > number } == true },
            #Predicate { $0.projects.contains { $0.title == maybe } },
            #Predicate { $0.projects.allSatisfy { $0.title != text } }, #Predicate { $0.projects.isEmpty },
            #Predicate { $0.projects.filter { $0.title == text }.count > 0 },
            #Predicate { one in one.projects.contains { $0.members.contains { $0.age > one.age } } },
            #Predicate { if let boss = $0.department { boss.title == text } else { true } },
            #Predicate { one in ages.contains { $0 == one.age } },
            #Predicate { one in ages.allSatisfy { $0 < one.age } },
            #Predicate { $0.badge?.number == nil }, #Predicate { $0.badge?.owner?.age == number },
        ]
    }

    private func populate(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        func text() -> String { Self.texts.randomElement(using: &random) ?? "" }
        func maybe() -> Bool { Int.random(in: 0..<3, using: &random) > 0 }
        let departments = try (0..<3).map { _ in try context.insert(Department.self) }
        for department in departments where maybe() { department.title = text() }
        let projects = try (0..<3).map { _ in try context.insert(Project.self) }
        for project in projects where maybe() { project.title = text() }
        for number in 0..<14 {
            let employee = try context.hire(text())
            employee.age = Int16.random(in: -4...4, using: &random)
            if maybe() { employee.salary = Double(Int.random(in: 0...6, using: &random)) / 2 }
            if maybe() { employee.code = Self.codes.randomElement(using: &random) }
            if maybe() { employee.department = departments.randomElement(using: &random) }
            for project in projects where !maybe() { employee.add(project, to: Employee.projects) }
            guard number % 4 == 0 else { continue }
            let badge = try context.insert(Badge.self)
            if maybe() { badge.number = 3 }
            employee.badge = badge
        }
    }

    @Test func fetchesFindWhatFoundationFinds() async throws {
        var random = SeededGenerator.printingSeed()
        let folder = try TemporaryFolder("differential")
        let container = try await Company.open(folder)
        var count = 0
        for _ in 0..<4 {
            let seed = random.next()
            count += try await container.performBackgroundTask { context in
                var random = SeededGenerator(seed: seed)
                for employee in try context.fetch(Employee.self) { context.delete(employee) }
                try populate(context, &random)
                let all = try context.fetch(Employee.self)
                var count = 0
                for _ in 0..<4 {
                    let constants = constants(&random)
                    let predicates = comparisons(constants) + strings(constants) + relationships(constants)
                    for (place, predicate) in predicates.enumerated() {
                        let wanted = try Set(all.filter { try predicate.evaluate($0) }.map(\.uniqueID))
                        let translated = try ObjectPredicate(predicate)
                        let found = try context.fetch(Employee.self, predicate: translated)
                        #expect(Set(found.map(\.uniqueID)) == wanted, "\(place): \(translated), \(constants)")
                        count += 1
                    }
                    // The first round asks the unsaved objects, the others ask the store.
                    if context.hasChanges { try context.save() }
                }
                return count
            }
        }
        #expect(count >= 300)
    }
}
