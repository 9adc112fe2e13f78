#if MUTATIONS
    import TributaryChanges
#endif

/// Looks for a deliberate fault; a build without `TRIBUTARY_MUTATIONS=1` has none.
enum MutationSearch {
    /// Lists the faults that the program of the name finds.
    static func list(_ program: String) {
        #if MUTATIONS
            for mutation in Mutation.allCases where mutation.program == program { print(mutation) }
        #endif
    }

    static func turnOn(_ name: String) -> Bool {
        #if MUTATIONS
            guard let mutation = Mutation.allCases.first(where: { "\($0)" == name }) else { return false }
            Mutation.turnOn(mutation)
            return true
        #else
            return false
        #endif
    }

    /// Prints after how many schedules the fault was found.
    static func find(_ name: String, _ run: SimulationRun<some PlayableSchedule>) async -> Bool {
        let result = await run.play()
        guard let seed = result.failing else {
            print("\(name): NOT FOUND in \(result)")
            return false
        }
        let reason = (result.failure ?? "").split(separator: "\n").prefix(3).joined(separator: " ").prefix(160)
        print("\(name): found after \(result.played) schedules by seed \(seed): \(reason)")
        return true
    }
}
