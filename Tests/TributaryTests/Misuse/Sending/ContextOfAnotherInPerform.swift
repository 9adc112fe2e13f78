import Tributary

func copy(_ first: BackgroundContext, _ second: BackgroundContext) async throws {
    try await first.perform { context in
        let id = try context.insert(Employee.self).objectID
        second.enqueue { other in
            #if MISUSE
                context.delete(other.object(with: id))  // error:
            #endif
            other.delete(other.object(with: id))
        }
    }
}
