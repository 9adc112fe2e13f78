import TestSupport
import Testing

@testable import Tributary

/// The tree against an array.
struct OrderStatisticTreeTests {
    @Test func theTreeIsASortedArray() {
        var random = SeededGenerator.printingSeed()
        let tree = OrderStatisticTree<Int>(steps: StepCounter())
        var nodes: [OrderStatisticTree<Int>.Node] = []
        for round in 0..<2_000 {
            if nodes.isEmpty || Int.random(in: 0..<5, using: &random) > (round < 1_200 ? 1 : 2) {
                let element = Int.random(in: 0..<500, using: &random)
                // Equal elements stay in the order in which they came.
                let index = nodes.firstIndex { $0.element > element } ?? nodes.count
                nodes.insert(tree.insert(element) { $0 <= element }, at: index)
            } else {
                tree.remove(nodes.remove(at: Int.random(in: nodes.indices, using: &random)))
            }
            #expect(tree.count == nodes.count && tree.first == nodes.first?.element)
            if let index = nodes.indices.randomElement(using: &random) {
                #expect(tree.index(of: nodes[index]) == index)
                #expect(tree[index] == nodes[index].element)
            }
            #expect(tree[nodes.count] == nil && tree[-1] == nil)
        }
        var elements: [Int] = []
        tree.forEach { elements.append($0) }
        #expect(elements == nodes.map(\.element))
        #expect(nodes.indices.allSatisfy { tree.index(of: nodes[$0]) == $0 })
        #expect(tree.first { $0 < 250 } == elements.first { $0 >= 250 })
    }

    @Test(arguments: [false, true]) func stepsGrowWithTheLogarithmOfTheCount(descending: Bool) {
        let steps = StepCounter()
        let tree = OrderStatisticTree<Int>(steps: steps)
        let count = 20_000
        var nodes: [OrderStatisticTree<Int>.Node] = []
        for number in descending ? Array((0..<count).reversed()) : Array(0..<count) {
            nodes.append(tree.insert(number) { $0 < number })
        }
        steps.count = 0
        for node in nodes.prefix(1_000) {
            _ = tree.index(of: node)
            tree.remove(node)
        }
        // The expected depth is below 2 ln n = 20.
        #expect(steps.count < 1_000 * 3 * 40)
    }
}
