import Tributary

/// Making objects, reading and writing their attributes, and what their first change costs.
struct Accesses {
    let objects: Int
    let runs: Int
    /// The number of objects that are read and written repeatedly.
    private static let few = 1_000
    private static let rounds = 200

    /// Leaves the objects saved.
    func measure(in context: ManagedObjectContext) throws -> [Figure] {
        var create = Figure("create an object", unit: "ns", .atMost(300))
        for run in 0..<runs {
            // The context keeps what is new; it is let go of outside of what is measured.
            var made: [Employee] = []
            made.reserveCapacity(objects)
            create.add(
                try ProcessorTime.nanoseconds(each: objects) {
                    for _ in 0..<objects { made.append(try context.insert(Employee.self)) }
                }
            )
            guard run == runs - 1 else {
                context.rollback()
                continue
            }
            for (index, employee) in made.enumerated() {
                employee.name = "Employee number \(index)"
                employee.note = "joined with batch \(index % 977), desk \(index % 4_001)"
                employee.salary = Double(index)
                employee.badge = index
            }
            try context.save()
        }
        var request = FetchRequest("Employee")
        request.fetchLimit = Accesses.few
        let employees = try context.fetch(request, as: Employee.self)
        defer { context.rollback() }
        return try [create] + reads(employees) + writes(employees, context)
    }

    private func reads(_ employees: [Employee]) throws -> [Figure] {
        var number = Figure("read a number", unit: "ns", .atMost(15))
        var byKey = Figure("read a number without a property of its own", unit: "ns", .none)
        var text = Figure("read a text", unit: "ns", .none)
        var byName = Figure("read a number by name", unit: "ns", .none)
        let count = employees.count * Accesses.rounds
        for _ in 0..<runs {
            var sum = 0.0
            number.add(
                ProcessorTime.nanoseconds(each: count) {
                    for _ in 0..<Accesses.rounds {
                        for employee in employees { sum += employee.salary }
                    }
                }
            )
            byKey.add(
                ProcessorTime.nanoseconds(each: count) {
                    for _ in 0..<Accesses.rounds {
                        for employee in employees { sum += employee.pay }
                    }
                }
            )
            var length = 0
            text.add(
                ProcessorTime.nanoseconds(each: count) {
                    for _ in 0..<Accesses.rounds {
                        for employee in employees { length += employee.name.utf8.count }
                    }
                }
            )
            var found = 0
            byName.add(
                try ProcessorTime.nanoseconds(each: count) {
                    for _ in 0..<Accesses.rounds {
                        for employee in employees where try employee.value(forKey: "salary") != .null { found += 1 }
                    }
                }
            )
            precondition(sum > 0 && length > 0 && found == count, "nothing was read")
        }
        return [number, byKey, text, byName]
    }

    private func writes(_ employees: [Employee], _ context: ManagedObjectContext) throws -> [Figure] {
        var first = Figure("first change of an object (dirty tracking)", unit: "ns", .none)
        var number = Figure("write a number", unit: "ns", .atMost(60))
        var text = Figure("write a text", unit: "ns", .none)
        var byName = Figure("write a number by name", unit: "ns", .none)
        let count = employees.count * Accesses.rounds
        for _ in 0..<runs {
            context.rollback()
            first.add(
                ProcessorTime.nanoseconds(each: employees.count) {
                    for employee in employees { employee.badge += 1 }
                }
            )
            number.add(
                ProcessorTime.nanoseconds(each: count) {
                    for round in 0..<Accesses.rounds {
                        for employee in employees { employee.salary = Double(round) }
                    }
                }
            )
            text.add(
                ProcessorTime.nanoseconds(each: count) {
                    for round in 0..<Accesses.rounds {
                        let name = round % 2 == 0 ? "an even name" : "an odd name"
                        for employee in employees { employee.name = name }
                    }
                }
            )
            byName.add(
                try ProcessorTime.nanoseconds(each: count) {
                    for round in 0..<Accesses.rounds {
                        for employee in employees { try employee.setValue(.double(Double(round)), forKey: "salary") }
                    }
                }
            )
        }
        return [first, number, text, byName]
    }
}
