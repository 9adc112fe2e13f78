import Tributary

func leak(_ background: BackgroundContext) async throws {
    let address = try await background.perform { context in
        Int(bitPattern: Unmanaged.passRetained(try context.insert(Employee.self)).toOpaque())  // undetected:
    }
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
    print(Unmanaged<Employee>.fromOpaque(pointer).takeRetainedValue().name)
}
