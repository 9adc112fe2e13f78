import Foundation

/// The measurements of a row with their limits.
struct GrowthLine {
    let row: GrowthRow
    /// At n, 2n and 4n.
    let costs: [Double]

    static let heading = columns("", "n", "at n", "at 2n", "at 4n", "unit", "slope", "order", "verdict")

    /// The power of n that the cost grew with between n and 4n.
    var slope: Double {
        // Less than a hundredth of a unit is noise, and 0 has no logarithm.
        log2(max(costs[2], 0.01) / max(costs[0], 0.01)) / 2
    }

    var passes: Bool { slope <= row.order.steepestSlope }

    var text: String {
        GrowthLine.columns(
            row.title,
            String(row.smallest),
            GrowthLine.rounded(costs[0]),
            GrowthLine.rounded(costs[1]),
            GrowthLine.rounded(costs[2]),
            row.unit.rawValue,
            String(format: "%.2f", slope),
            row.order.text,
            passes ? "as stated" : "GROWS TOO FAST"
        )
    }

    private static func rounded(_ value: Double) -> String {
        value < 100 ? String(format: "%.2f", value) : String(Int(value.rounded()))
    }

    private static func columns(_ title: String, _ rest: String...) -> String {
        let widths = [8, 10, 10, 10, 6, 6, 6]
        var line = title.padding(toLength: 60, withPad: " ", startingAt: 0)
        for (index, text) in rest.enumerated() {
            line +=
                "  " + (index < widths.count ? String(repeating: " ", count: max(0, widths[index] - text.count)) : "")
                + text
        }
        return line
    }
}
