extension Array {
    func longestRise(by precedes: (Element, Element) -> Bool) -> Set<Int> {
        // `lasts`: for each length, the index of the least last element. `previous`: the predecessor of each element.
        var lasts: [Int] = []
        var previous = [Int?](repeating: nil, count: count)
        for (index, element) in enumerated() {
            var (low, high) = (0, lasts.count)
            while low < high {
                let middle = (low + high) / 2
                if precedes(self[lasts[middle]], element) { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = lasts[low - 1] }
            if low == lasts.count { lasts.append(index) } else { lasts[low] = index }
        }
        var kept: Set<Int> = []
        var next = lasts.last
        while let index = next {
            kept.insert(index)
            next = previous[index]
        }
        return kept
    }
}
