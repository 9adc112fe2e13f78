import ArgumentParser

/// A duration as the configuration writes it: an integer with ms, s, m, h or d.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Double

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
