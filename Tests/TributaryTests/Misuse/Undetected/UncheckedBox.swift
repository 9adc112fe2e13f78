import Tributary

final class Box: @unchecked Sendable {  // undetected:
    var employee: Employee?
}

func leak(_ background: BackgroundContext, _ box: Box) async throws {
    try await background.perform { context in box.employee = try context.insert(Employee.self) }
    print(box.employee?.name ?? "")
}
