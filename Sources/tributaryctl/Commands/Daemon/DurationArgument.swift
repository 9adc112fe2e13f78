import ArgumentParser

/// A duration as the configuration writes it: an integer with ms, s, m, h or d.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Double

    /// The limit of every wait for the daemon.
    static let standardTimeout = DurationArgument(seconds: 30)

    private init(seconds: Double) {
        self.seconds = seconds
    }

    var duration: Duration { .seconds(seconds) }

    /// What help prints for a default.
    var defaultValueDescription: String { "\(Int(seconds))s" }

    init?(argument: String) {
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)]
        for (unit, factor) in units where argument.hasSuffix(unit) {
            if let number = UInt32(argument.dropLast(unit.count)) {
                seconds = Double(number) * factor
                return
            }
        }
        return nil
    }
}
