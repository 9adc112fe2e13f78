import Tributary

struct Refusal: Error {
    let employee: Employee  // warning:
}

func leak(_ background: BackgroundContext) async {
    do {
        try await background.perform { context in throw Refusal(employee: try context.insert(Employee.self)) }
    } catch let refusal as Refusal {
        print(refusal.employee.name)
    } catch {}
}
