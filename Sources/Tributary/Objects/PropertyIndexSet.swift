/// Up to 64 property indexes need no allocation.
struct PropertyIndexSet: Sendable {
    private var low: UInt64 = 0
    private var high: Set<Int> = []

    init() {}

    init(_ propertyIndexes: some Sequence<Int>) {
        for propertyIndex in propertyIndexes { insert(propertyIndex) }
    }

    var isEmpty: Bool { low == 0 && high.isEmpty }

    @inline(__always)
    func contains(_ propertyIndex: Int) -> Bool {
        propertyIndex < 64 ? low & (1 << UInt64(propertyIndex)) != 0 : high.contains(propertyIndex)
    }

    @inline(__always)
    mutating func insert(_ propertyIndex: Int) {
        if propertyIndex < 64 { low |= 1 << UInt64(propertyIndex) } else { high.insert(propertyIndex) }
    }

    mutating func remove(_ propertyIndex: Int) {
        if propertyIndex < 64 { low &= ~(1 << UInt64(propertyIndex)) } else { high.remove(propertyIndex) }
    }

    mutating func removeAll() {
        low = 0
        high = []
    }

    var propertyIndexes: [Int] {
        var result: [Int] = []
        var rest = low
        while rest != 0 {
            result.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return result + high.sorted()
    }
}
