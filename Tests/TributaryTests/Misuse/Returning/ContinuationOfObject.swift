import Tributary

func wait(_ background: BackgroundContext) async -> String {
    #if MISUSE
        let employee = await withCheckedContinuation { (waiting: CheckedContinuation<Employee?, Never>) in
            background.enqueue { waiting.resume(returning: try? $0.insert(Employee.self)) }  // error:
        }
        return employee?.name ?? ""
    #else
        return await withCheckedContinuation { (waiting: CheckedContinuation<String, Never>) in
            background.enqueue { waiting.resume(returning: (try? $0.insert(Employee.self))?.name ?? "") }
        }
    #endif
}
