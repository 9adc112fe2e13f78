struct SimulationOptions {
    var schedules = 1_000
    /// The time after which no further schedule begins.
    var limit = Duration.seconds(86_400)
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    /// The number of schedules that are played at once; each waits for threads of its own now and then.
    var workers = 4
    /// A seed, or the path of a schedule or of a folder of schedules.
    var replay: String?
    /// Whether the smallest schedule that fails is searched and printed.
    var reports = true

    static func usage(_ name: String) -> String {
        "\(name) [--schedules N] [--seconds N] [--seed N] [--workers N] [--replay SEED-OR-PATH] [--report no]"
    }

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let text = rest.popFirst() else { return nil }
            switch (name, UInt64(text)) {
            case ("--schedules", let number?): schedules = Int(clamping: number)
            case ("--seconds", let number?): limit = .seconds(Int64(clamping: number))
            case ("--seed", let number?): seed = number
            case ("--workers", let number?): workers = max(1, Int(clamping: number))
            case ("--replay", _): replay = text
            case ("--report", _): reports = text != "no"
            default: return nil
            }
        }
    }
}
