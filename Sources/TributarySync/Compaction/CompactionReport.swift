import TransactionLog
import TributaryAdmin
import TributaryChanges

extension CompactionReport.Step {
    init(_ decision: CutRule.Decision) {
        switch decision {
        case .cut(let name): self.init(result: .cut, file: name.path)
        case .done(let baseline, let isVerified):
            let detail = isVerified ? nil : "No store has endorsed it yet."
            self.init(result: .exists, file: baseline.name.path, detail: detail)
        case .wait(let reason): self = .waits(reason)
        case .acknowledge: self = .waits("This store acknowledges first what it has applied since its last baseline.")
        }
    }

    static func verified(_ name: BaselineName) -> Self { Self(result: .verified, file: name.path) }

    static func differs(_ name: BaselineName) -> Self {
        Self(result: .differs, file: name.path, detail: "This store has another state for the same transactions.")
    }

    static func waits(_ reason: String, for name: BaselineName? = nil) -> Self {
        Self(result: .waits, file: name?.path, detail: reason)
    }

    static var nothing: Self { Self(result: .nothing) }
}

extension CompactionReport {
    mutating func add(_ decision: RemovalRule.Decision, _ facts: CompactionFacts, planned: PlannedBaselines) {
        removedSegments += decision.removed.count
        removedBytes = decision.removed.reduce(removedBytes) { $0.addingSaturating($1.bytes) }
        removedBaselines += decision.baselines.map(\.path)
        addKept(decision, facts)
        list(facts.knownBaselines, planned)
    }

    mutating func add(failed decision: RemovalRule.Decision, _ facts: CompactionFacts, because reason: String) {
        for segment in decision.removed { add(segment, [reason]) }
        addKept(decision, facts)
    }

    private mutating func addKept(_ decision: RemovalRule.Decision, _ facts: CompactionFacts) {
        for kept in decision.kept { add(kept.segment, kept.waits.map { CompactionReport.text($0, facts) }) }
    }

    private mutating func add(_ segment: CompactionFacts.OwnSegment, _ waits: [String]) {
        remainingSegments += 1
        remainingBytes = remainingBytes.addingSaturating(segment.bytes)
        guard remaining.count < CompactionReport.limit else { return }
        remaining.append(Segment(file: segment.name.path, bytes: segment.bytes, waitsFor: waits))
    }

    private mutating func list(_ knownBaselines: KnownBaselines, _ planned: PlannedBaselines) {
        let known = knownBaselines.baselines.values.map { baseline in
            let detail = knownBaselines.objection(to: baseline) ?? planned.detail(of: baseline)
            return (baseline.name, baseline.bytes, knownBaselines.isVerified(baseline), detail)
        }
        let refused = knownBaselines.refused.map { name, refusal in
            let detail = "It is not used: \(refusal.sentence) \(refusal.hint)"
            return (name, UInt64(clamping: knownBaselines.marks[name.path]?.size ?? 0), false, String?.some(detail))
        }
        baselines = (known + refused).sorted { $0.0 < $1.0 }.map { name, bytes, isVerified, detail in
            Baseline(file: name.path, bytes: bytes, verified: isVerified, detail: detail)
        }
    }

    private static func text(_ wait: RemovalRule.Wait, _ facts: CompactionFacts) -> String {
        switch wait {
        case .baseline(let through):
            return through == 0
                ? "no verified baseline yet"
                : "a verified baseline; the last baseline has this writer's transactions up to \(through)"
        case .acknowledgement(let writer, let through):
            return "writer \(facts.label(writer)), which has acknowledged \(through); if it is gone, on each machine: "
                + "tributaryctl writer evict \(writer)"
        case .age(let until):
            return "retention.keep_segments, for another \(until.duration(since: facts.wall).words)"
        }
    }
}
