package enum ByteText {
    package static func text(_ count: some BinaryInteger) -> String {
        let count = Int64(clamping: count)
        var (value, rest) = (count.magnitude, UInt64(0))
        var unit = 0
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1024, unit < units.count - 1 {
            (value, rest) = (value / 1024, value % 1024)
            unit += 1
        }
        let sign = count < 0 ? "-" : ""
        guard unit > 0 else { return "\(count) B" }
        // In tenths, rounded half up.
        let tenths = value * 10 + (rest * 10 + 512) / 1024
        return "\(sign)\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
