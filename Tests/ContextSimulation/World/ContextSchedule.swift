import SimulationRunning
import TestSupport

/// A sequence of steps of contexts on one store.
package struct ContextSchedule: PlayableSchedule {
    package let seed: UInt64
    package var rules: ContextModel.Rules
    package var steps: [ContextStep]

    package func play() async throws { try await ContextWorld.play(self) }

    /// Whether the context elsewhere is in another process: starting one takes longer than the rest of a schedule.
    var hasOtherProcess: Bool { seed % 8 == 5 && !ContextFeatures.lacks(.processes) }
}

/// A schedule is a line with its seed and rules, and its steps.
extension ContextSchedule {
    package var description: String {
        ([title] + steps.map(\.description)).joined(separator: "\n") + "\n"
    }

    /// The first line.
    var title: String {
        let maker = rules.isMakerMandatory ? "mandatory" : "optional"
        let least = rules.leastTagged > 0 ? " \(rules.leastTagged)" : ""
        return "schedule \(seed) \(rules.items) \(rules.tagged) \(maker)\(least)"
    }

    package init(text: String) throws {
        var lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }[...]
        let words = (lines.popFirst() ?? "").split(separator: " ").map(String.init)
        guard 5...6 ~= words.count, words[0] == "schedule", let seed = UInt64(words[1]) else {
            throw Divergence("the first line is not 'schedule SEED ITEMS TAGGED MAKER [LEAST]'")
        }
        self.seed = seed
        rules = ContextModel.Rules()
        (rules.items, rules.tagged) = (words[2], words[3])
        rules.isMakerMandatory = words[4] == "mandatory"
        if words.count == 6 { rules.leastTagged = Int(words[5]) ?? 0 }
        steps = try lines.map { line in
            guard let step = ContextStep(line) else { throw Divergence("this is not a step: \(line)") }
            return step
        }
    }
}

extension ContextSchedule {
    /// Draws a schedule; a seed always gives the same one.
    package init(seed: UInt64) {
        var draw = Draw(random: SeededGenerator(seed: seed))
        self.seed = seed
        rules = ContextModel.Rules()
        if draw.number(0...1) == 0 {
            rules.items = draw.one(of: ["nullify", "cascade", "deny", "none"])
            rules.tagged = draw.one(of: ["nullify", "cascade", "deny", "none"])
        }
        rules.isMakerMandatory = draw.number(0...3) == 0 && !ContextFeatures.lacks(.mandatory)
        if draw.number(0...5) == 0, !ContextFeatures.lacks(.counts) { rules.leastTagged = 2 }
        draw.rules = rules
        let hasKeys = draw.number(0...1) == 0 && !ContextFeatures.lacks(.keys)
        let hasUndo = !hasKeys || !ContextFeatures.lacks(.undoOfKeys) && draw.number(0...1) == 0
        draw.hasUndo = hasUndo && !ContextFeatures.lacks(.undo)
        draw.hasTimer = draw.number(0...1) == 0 && !ContextFeatures.lacks(.timer)
        steps = draw.start()
        let count = steps.count + draw.number(30...60)
        while steps.count < count {
            switch draw.number(0...23) {
            case 0, 1: steps += draw.race()
            case 2 where draw.hasUndo: steps += draw.group()
            case 10 where !ContextFeatures.lacks(.orders): steps += draw.rowRace()
            case 12 where !ContextFeatures.lacks(.sharedIDs): steps += draw.idRace()
            case 11 where !ContextFeatures.lacks(.batchInserts): steps.append(draw.insertBatch(ofLabels: hasKeys))
            case 3...5 where hasKeys: steps += draw.labels()
            case 6...8 where hasKeys: steps += draw.keyRace()
            default: steps += draw.next()
            }
        }
    }

    private struct Draw {
        var random: SeededGenerator
        var inserted = 0
        var insertedLabels = 0
        var rules = ContextModel.Rules()
        var hasUndo = false
        var hasTimer = false
        var value = 0

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

        mutating func one<T>(of values: [T]) -> T { values[number(0...(values.count - 1))] }

        mutating func object(_ entity: Int) -> Int {
            if entity == ContextModel.label { return ContextModel.firstLabel + number(0...max(insertedLabels - 1, 0)) }
            let all = (0..<max(inserted, 4)).filter { ContextModel.entity(of: $0) == entity }
            return one(of: all)
        }

        mutating func context() -> Int {
            // The topmost contexts take part more often than their children.
            let foreign = ContextFeatures.lacks(.imports) ? [] : [ContextPlace.foreign, ContextPlace.foreign]
            return one(of: [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 9] + foreign)
        }

        /// In most schedules several contexts know the first objects, so that their changes meet.
        mutating func start() -> [ContextStep] {
            guard number(0...3) > 0 else { return [] }
            inserted = number(3...6)
            let shelf = 2
            let objects = [shelf] + (0..<inserted).filter { $0 != shelf }
            let steps = objects.flatMap { object -> [ContextStep] in
                let insert = ContextStep.insert(1, object: object)
                let needsMaker = rules.isMakerMandatory && ContextModel.entity(of: object) == ContextModel.item
                return [insert] + (needsMaker ? [.point(1, object: object, property: "maker", target: shelf)] : [])
            }
            return steps + [.save(1, policy: "error"), merge(0), .merge(2)]
        }

        /// The view context merges at once, or when its timer ends.
        mutating func merge(_ context: Int) -> ContextStep {
            guard context == ContextPlace.view, hasTimer, number(0...3) > 0 else { return .merge(context) }
            return .elapse(context, milliseconds: one(of: [300, 700, 1_000, 1_000, 1_000]))
        }

        /// A step; an item that needs a maker gets one in most cases.
        mutating func next() -> [ContextStep] {
            let step = step()
            switch step {
            case .insert(let context, let object):
                guard rules.isMakerMandatory, ContextModel.entity(of: object) == ContextModel.item, number(0...5) > 0
                else { return [step] }
                let maker = self.object(ContextModel.shelf)
                return [step, .point(context, object: object, property: "maker", target: maker)]
            case .link(let context, let object, "items", _) where ContextModel.entity(of: object) == ContextModel.tag:
                guard rules.leastTagged > 0, number(0...3) > 0 else { return [step] }
                return [step, .link(context, object: object, property: "items", target: self.object(0))]
            default: return [step]
            }
        }

        /// One or more changes of labels: each context draws from the same few codes.
        mutating func labels() -> [ContextStep] {
            let context = context()
            value += 1
            let label = object(ContextModel.label)
            // Imports follow no policy: the articles about merging say what they do.
            let isForeign = context == ContextPlace.foreign
            switch number(0...9) {
            case 0...3 where !isForeign:
                insertedLabels += 1
                let new = ContextModel.firstLabel + insertedLabels - 1
                var steps: [ContextStep] = [.insert(context, object: new)]
                if number(0...5) > 0 { steps.append(.set(context, object: new, property: "code", value: value)) }
                if number(0...1) == 0 { steps.append(.set(context, object: new, property: "name", value: value)) }
                if number(0...2) == 0 { steps.append(.add(context, object: new, property: "hits", amount: 5)) }
                if number(0...1) == 0 {
                    steps.append(.point(context, object: object(0), property: "label", target: new))
                }
                return steps
            case 4...5 where !isForeign: return [.set(context, object: label, property: "code", value: value)]
            case 6: return [.set(context, object: label, property: "name", value: value)]
            case 7: return [.add(context, object: label, property: "hits", amount: one(of: [1, 5]))]
            case 8 where number(0...1) == 0: return [.delete(context, object: label)]
            default: return [.point(context, object: object(0), property: "label", target: label)]
            }
        }

        /// Two contexts insert an object with one ID, one of them saves, and the other one goes on.
        mutating func idRace() -> [ContextStep] {
            let (first, second) = (one(of: [0, 0, 1, 2]), one(of: [1, 2, 7, 7, ContextPlace.foreign]))
            inserted += 1
            let object = inserted - 1
            var steps: [ContextStep] = []
            for context in [first, second] {
                steps.append(.insert(context, object: object))
                if rules.isMakerMandatory, ContextModel.entity(of: object) == ContextModel.item {
                    steps.append(.point(context, object: object, property: "maker", target: self.object(1)))
                }
                // The last kinds of changes; the first ones are deletions.
                for _ in 0...number(0...2) { steps.append(change(context, object, number(2...9))) }
            }
            if number(0...2) == 0 { steps += next() }
            steps.append(.save(second, policy: policy()))
            if number(0...2) > 0, first != 1 { steps.append(merge(first)) }
            if hasUndo, number(0...2) == 0 { steps.append(.undo(first)) }
            if number(0...2) == 0 { steps += next() }
            return steps + [.save(first, policy: policy())]
        }

        /// A batch inserts new objects, or in a few cases an object whose ID is taken.
        mutating func insertBatch(ofLabels: Bool) -> ContextStep {
            value += 1
            var object = self.object(0)
            if ofLabels, number(0...3) > 0 {
                object = ContextModel.firstLabel + insertedLabels
                insertedLabels += 2
            } else if number(0...7) > 0 {
                // The object and the next one are items.
                inserted += -inserted & 3
                object = inserted + one(of: [0, 0, 2, 3])
                inserted += 4
            }
            return .insertBatch(one(of: [0, 1, 1, 7]), object: object, value: value, policy: policy())
        }

        /// Two contexts give labels one code, one of them saves, and the other one goes on.
        mutating func keyRace() -> [ContextStep] {
            let (first, second) = (one(of: [0, 0, 1, 2, 3]), one(of: [1, 2, 7, 7]))
            value += 1
            var steps: [ContextStep] = []
            for context in [first, second] {
                var label = object(ContextModel.label)
                if number(0...3) > 0 {
                    insertedLabels += 1
                    label = ContextModel.firstLabel + insertedLabels - 1
                    steps.append(.insert(context, object: label))
                }
                steps.append(.set(context, object: label, property: "code", value: value))
                if number(0...1) == 0 { steps.append(.set(context, object: label, property: "name", value: label)) }
                if number(0...1) == 0 { steps.append(.add(context, object: label, property: "hits", amount: 5)) }
                if number(0...1) == 0 {
                    steps.append(.point(context, object: object(0), property: "label", target: label))
                }
            }
            steps.append(.save(second, policy: policy()))
            if number(0...2) == 0, first == 0 || first == 2 { steps.append(merge(first)) }
            return steps + [.save(first, policy: policy())]
        }

        /// Two contexts change one object, one of them saves, and the other one goes on.
        mutating func race() -> [ContextStep] {
            let (first, second) = (one(of: [0, 0, 0, 1, 2, 2, 3]), one(of: [1, 2, 7, 7]))
            let object = self.object(one(of: [0, 0, 0, 1, 2]))
            let merge: [ContextStep] = first == 0 || first == 2 ? [merge(first)] : []
            let kind = number(0...9)
            let other = number(0...1) == 0 ? kind : number(0...9)
            var steps = [
                change(first, object, kind), change(second, object, other), .save(second, policy: "objectTrump"),
            ]
            if second == 2, number(0...1) == 0 { steps.insert(.merge(2), at: 0) }
            switch number(0...9) {
            case 0...2 where hasUndo:
                steps += merge + [.undo(first), .save(first, policy: "error")]
            case 3 where hasUndo: steps += merge + [.undo(first), .redo(first)]
            case 4: steps += merge + [.refresh(first, object: object, keeps: number(0...1) == 0)]
            case 5: steps += [.rollback(first)]
            case 6, 7: steps += merge + [.save(first, policy: policy())]
            default: steps += [.save(first, policy: policy())]
            }
            return steps
        }

        /// Two contexts change the order of one row, one of them saves, and the other one goes on.
        mutating func rowRace() -> [ContextStep] {
            let (first, second) = (one(of: [0, 0, 1, 2, 3]), one(of: [1, 2, 7, 7]))
            let shelf = object(ContextModel.shelf)
            var steps: [ContextStep] = []
            func arrange(_ context: Int, _ draw: inout Draw) -> ContextStep {
                let (item, place) = (draw.object(0), draw.number(0...3))
                return switch draw.number(0...7) {
                case 0: .point(context, object: item, property: "place", target: nil)
                case 1: .point(context, object: item, property: "place", target: shelf)
                default: .arrange(context, object: shelf, property: "row", target: item, place: place)
                }
            }
            for context in [second, first, first, second] {
                for _ in 0...number(0...1) { steps.append(arrange(context, &self)) }
                if hasUndo, number(0...3) == 0 { steps.append(number(0...2) > 0 ? .undo(context) : .redo(context)) }
            }
            steps.append(.save(second, policy: policy()))
            if number(0...1) == 0, first == 0 || first == 2 { steps.append(merge(first)) }
            if number(0...1) == 0 { steps.append(arrange(first, &self)) }
            if hasUndo, number(0...1) == 0 { steps.append(.undo(first)) }
            return steps + [.save(first, policy: policy())]
        }

        /// Changes that are undone together, perhaps with other steps between.
        mutating func group() -> [ContextStep] {
            let context = one(of: [0, 0, 1, 1, 2, 3])
            var steps = [ContextStep.beginGroup(context)]
            for _ in 0...number(1...3) {
                let object = self.object(one(of: [0, 0, 0, 1, 2]))
                steps.append(change(context, object, number(0...9)))
                if number(0...3) == 0 { steps += next() }
            }
            if number(0...3) > 0 { steps.append(.endGroup(context)) }
            if number(0...1) == 0 { steps += next() + [.undo(context)] }
            return steps
        }

        private mutating func change(_ context: Int, _ object: Int, _ kind: Int) -> ContextStep {
            value += 1
            let isItem = ContextModel.entity(of: object) == ContextModel.item
            switch kind {
            case 0, 1: return .delete(context, object: object)
            case 2...3 where isItem && !ContextFeatures.lacks(.amounts):
                return .add(context, object: object, property: "stock", amount: one(of: [1, 5, 100]))
            case 4...5 where isItem:
                return .point(context, object: object, property: one(of: ["shelf", "maker"]), target: self.object(1))
            case 6 where isItem: return .link(context, object: object, property: "tags", target: self.object(2))
            case 4...6: return .link(context, object: object, property: "items", target: self.object(0))
            case 7 where isItem && !ContextFeatures.lacks(.claims):
                return .point(context, object: object, property: "badge", target: self.object(2))
            default: return .set(context, object: object, property: "name", value: value)
            }
        }

        private mutating func policy() -> String {
            one(of: ["objectTrump", "objectTrump", "error", "storeTrump", "overwrite", "rollback"])
        }

        private mutating func point(_ context: Int) -> ContextStep {
            let claims = ContextFeatures.lacks(.claims) ? [] : ["badge", "bearer"]
            let places = ContextFeatures.lacks(.orders) ? [] : ["place"]
            let property = one(of: ["shelf", "shelf", "maker"] + claims + places)
            let (owner, other) = property == "bearer" ? (2, 0) : property == "badge" ? (0, 2) : (0, 1)
            return .point(
                context,
                object: object(owner),
                property: property,
                target: number(0...4) == 0 ? nil : object(other)
            )
        }

        mutating func step() -> ContextStep {
            let context = context()
            value += 1
            switch number(0...99) {
            case 0...11:
                inserted += 1
                return .insert(context, object: inserted - 1)
            case 12...23:
                let object = one(of: [object(0), object(0), object(1), object(2)])
                let isItem = ContextModel.entity(of: object) == ContextModel.item
                let counters = ContextFeatures.lacks(.amounts) ? [] : ["stock", "weight"]
                let values = ContextFeatures.lacks(.values) ? [] : ["peak", "first", "seen", "spot"]
                let binaries = ContextFeatures.lacks(.binaries) ? [] : ["photo", "photo"]
                let texts = ["name", "name", "colour", "colour"]
                let property = isItem ? one(of: texts + counters + values + binaries) : "name"
                return .set(context, object: object, property: property, value: number(0...3) == 0 ? 0 : value)
            case 24...33 where !ContextFeatures.lacks(.amounts):
                return .add(
                    context,
                    object: object(0),
                    property: one(of: ["stock", "weight"]),
                    amount: one(of: [-3, 1, 5, 100])
                )
            case 24...39: return point(context)
            case 40...44 where !ContextFeatures.lacks(.orders):
                return .arrange(
                    context,
                    object: object(1),
                    property: "row",
                    target: object(0),
                    place: number(0...3)
                )
            case 45...56:
                let links: [(Int, String, Int)] = [(0, "tags", 2), (2, "items", 0), (1, "items", 0)]
                let (owner, property, other) = one(of: links)
                return number(0...2) == 0
                    ? .unlink(context, object: object(owner), property: property, target: object(other))
                    : .link(context, object: object(owner), property: property, target: object(other))
            case 57...62: return .delete(context, object: object(one(of: [0, 0, 1, 2])))
            case 63...77:
                let throughBaseline =
                    context == ContextPlace.foreign && number(0...2) == 0 && !ContextFeatures.lacks(.baselines)
                return .save(context, policy: throughBaseline ? "baseline" : policy())
            case 78 where !ContextFeatures.lacks(.unpinning) && number(0...2) == 0: return .unpin(2)
            case 78...84: return merge(one(of: [0, 0, 2]))
            case 85...87: return .refresh(context, object: object(one(of: [0, 0, 1, 2])), keeps: number(0...2) > 0)
            case 88: return .refreshAll(context)
            case 98 where !ContextFeatures.lacks(.batches):
                let context = one(of: [0, 1, 7])
                return number(0...1) == 0
                    ? .batch(context, value: value) : .deleteBatch(context, entity: number(0...3))
            case 89 where context == ContextPlace.elsewhere && number(0...1) == 0: return .kill(context)
            case 89: return .rollback(context)
            case 90...94 where hasUndo:
                let undo = ContextStep.undo(context)
                return one(of: [.redo(context), .redo(context), undo, undo, undo, .undoAll(context)])
            case 95...97 where !ContextFeatures.lacks(.queries):
                return .fetch(context, query: number(0...11) + (number(0...3) == 0 ? 100 : 0))
            case 99: return .checkpoint(context)
            default: return .check(one(of: [0, 1, 2, 3, 4, 5, 6, 7, 9]))
            }
        }
    }
}
