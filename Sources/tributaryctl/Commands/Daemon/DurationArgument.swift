import ArgumentParser

/// A duration in the syntax of the configuration: an integer with ms, s, m, h or d.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Double

    /// The default limit of waiting for the daemon.
    static let standardTimeout = DurationArgument(seconds: 30)

    private init(seconds: Double) {
        self.seconds = seconds
    }

    var duration: Duration { .seconds(seconds) }

    /// The default value's text in the help.
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
