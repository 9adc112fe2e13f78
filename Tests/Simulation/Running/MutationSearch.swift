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

    /// Turns the fault of the name on, or every fault off.
    static func turn(on name: String?) -> Bool {
        #if MUTATIONS
            guard let name else {
                Mutation.turnOff()
                return true
            }
            guard let mutation = Mutation.allCases.first(where: { "\($0)" == name }) else { return false }
            Mutation.turnOn(mutation)
            return true
        #else
            return false
        #endif
    }

    /// Prints after how many schedules the fault was found.
    ///
    /// A schedule that ends wrong without the fault as well is printed, and proves nothing about the fault.
    static func find<Schedule: PlayableSchedule>(_ name: String, _ run: SimulationRun<Schedule>) async -> Bool {
        var run = run
        var played = 0
        while true {
            _ = turn(on: name)
            let result = await run.play()
            played += result.played
            guard let seed = result.failing else {
                print("\(name): NOT FOUND in \(played) schedules")
                return false
            }
            _ = turn(on: nil)
            if let failure = await ScheduleReport<Schedule>.failure(of: Schedule(seed: seed)) {
                print("seed \(seed) ends wrong without the fault \(name):\n\(failure)")
                run = run.behind(seed)
                continue
            }
            let reason = (result.failure ?? "").split(separator: "\n").prefix(3).joined(separator: " ").prefix(160)
            print("\(name): found after \(played) schedules by seed \(seed): \(reason)")
            return true
        }
    }
}
