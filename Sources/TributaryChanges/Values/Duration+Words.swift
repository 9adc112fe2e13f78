extension Duration {
    /// In the greatest unit with a count of two or more: `2 days`, `47 hours`, `1 second`.
    package var words: String {
        let seconds = max(0, components.seconds)
        let units: [(length: Int64, name: String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        // 172,795 seconds are still two days, so that a countdown of two days does not begin with hours.
        guard let unit = units.first(where: { seconds >= $0.length * 39 / 20 }) else {
            return "\(seconds) second\(seconds == 1 ? "" : "s")"
        }
        let rest = seconds % unit.length
        return "\(seconds / unit.length + (rest * 2 >= unit.length ? 1 : 0)) \(unit.name)s"
    }
}
