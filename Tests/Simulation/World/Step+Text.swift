import TestSupport
import TributaryChanges

/// A step is a line of words; its changes are lines of the log below it.
extension Step: CustomStringConvertible {
    package var description: String {
        func lines(_ changes: [Change]) -> String {
            var bytes: [UInt8] = []
            for change in changes { change.write(to: &bytes) }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { "\n    \($0)" }.joined()
        }
        func name(_ crash: CrashPoint?) -> String { crash?.rawValue ?? "-" }
        return switch self {
        case .save(let replica, let crash, let changes):
            "save \(replica)" + (crash.map { " \($0.rawValue)" } ?? "") + lines(changes)
        case .produce(let producer, let skew, let changes): "produce \(producer) \(skew)" + lines(changes)
        case .export(let writer, let crash): "export \(writer) \(name(crash))"
        case .carry(let writer, let to, let skip, let fault, let isHeard):
            "carry \(writer) \(to) \(skip) \(isHeard) \(fault.words)"
        case .importing(let replica, let count, let isWhole, let crash):
            "import \(replica) \(count) \(isWhole) \(name(crash))"
        case .acknowledge(let replica): "acknowledge \(replica)"
        case .restart(let replica): "restart \(replica)"
        case .crash(let replica, let losesToken): "crash \(replica) \(losesToken)"
        case .grow(let replica): "grow \(replica)"
        case .join(let from, let to, let damage): "join \(from) \(to)" + (damage.map { " \($0)" } ?? "")
        case .snapshot(let replica): "snapshot \(replica)"
        case .restore(let replica, let kind, let losesToken): "restore \(replica) \(kind.rawValue) \(losesToken)"
        case .clone(let from, let to, let kind, let hasFolder): "clone \(from) \(to) \(kind.rawValue) \(hasFolder)"
        case .move(let replica, let kind): "move \(replica) \(kind.rawValue)"
        case .lose(let replica, let loss): "lose \(replica) \(loss.rawValue)"
        case .recover(let replica): "recover \(replica)"
        case .compact(let replica, let isRequested): "compact \(replica) \(isRequested)"
        case .exchange(let from, let to): "exchange \(from) \(to)"
        case .spoil(let replica): "spoil \(replica)"
        case .evict(let replica, let writer): "evict \(replica) \(writer)"
        case .abandon(let replica, let writer): "abandon \(replica) \(writer)"
        case .tick: "tick"
        case .jump(let replica, let seconds): "jump \(replica) \(seconds)"
        case .check(let replica): "check \(replica)"
        case .correct(let replica): "correct \(replica)"
        case .vanish(let writer, let kind, let number): "vanish \(writer) \(number) \(kind.rawValue)"
        case .squat(let replica, let kind): "squat \(replica) \(kind.rawValue)"
        case .rekey(let replica, let change): "rekey \(replica) \(change.rawValue)"
        case .revoke(let replica, let other): "revoke \(replica) \(other)"
        case .limit(let replica, let bytes): "limit \(replica) \(bytes)"
        case .administer(let replica): "administer \(replica)"
        }
    }

    /// Reads the words of a step; nil when they are none.
    init?(_ line: String, changes: [Change]) {
        let words = line.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().prefix { Int($0) != nil }.compactMap { Int($0) }
        func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
        switch (words.first ?? "", numbers.count) {
        case ("save", 1): self = .save(replica: numbers[0], crash: CrashPoint(rawValue: word(2)), changes)
        case ("produce", 2): self = .produce(producer: numbers[0], skew: numbers[1], changes)
        case ("export", 1): self = .export(writer: numbers[0], crash: CrashPoint(rawValue: word(2)))
        case ("carry", 3):
            guard let fault = FileFault(words: Array(words.dropFirst(5))) else { return nil }
            self = .carry(
                writer: numbers[0],
                to: numbers[1],
                skip: numbers[2],
                fault: fault,
                isHeard: word(4) == "true"
            )
        case ("import", 2):
            self = .importing(
                replica: numbers[0],
                count: numbers[1],
                isWhole: word(3) == "true",
                crash: CrashPoint(rawValue: word(4))
            )
        case ("acknowledge", 1): self = .acknowledge(replica: numbers[0])
        case ("restart", 1): self = .restart(replica: numbers[0])
        case ("crash", 1): self = .crash(replica: numbers[0], losesToken: word(2) == "true")
        case ("grow", 1): self = .grow(replica: numbers[0])
        case ("join", 2): self = .join(from: numbers[0], to: numbers[1], damage: nil)
        case ("join", 3): self = .join(from: numbers[0], to: numbers[1], damage: numbers[2])
        case ("snapshot", 1): self = .snapshot(replica: numbers[0])
        case ("restore", 1):
            guard let kind = Restoration(rawValue: word(2)) else { return nil }
            self = .restore(replica: numbers[0], kind, losesToken: word(3) == "true")
        case ("clone", 2):
            guard let kind = CopyKind(rawValue: word(3)) else { return nil }
            self = .clone(from: numbers[0], to: numbers[1], kind, hasFolder: word(4) == "true")
        case ("move", 1):
            guard let kind = Relocation(rawValue: word(2)) else { return nil }
            self = .move(replica: numbers[0], kind)
        case ("lose", 1):
            guard let loss = FolderLoss(rawValue: word(2)) else { return nil }
            self = .lose(replica: numbers[0], loss)
        case ("recover", 1): self = .recover(replica: numbers[0])
        case ("compact", 1): self = .compact(replica: numbers[0], isRequested: word(2) == "true")
        case ("spoil", 1): self = .spoil(replica: numbers[0])
        case ("exchange", 2): self = .exchange(from: numbers[0], to: numbers[1])
        case ("evict", 2): self = .evict(replica: numbers[0], writer: numbers[1])
        case ("abandon", 2): self = .abandon(replica: numbers[0], writer: numbers[1])
        case ("tick", 0): self = .tick
        case ("jump", 2): self = .jump(replica: numbers[0], seconds: numbers[1])
        case ("check", 1): self = .check(replica: numbers[0])
        case ("correct", 1): self = .correct(replica: numbers[0])
        case ("vanish", 2):
            guard let kind = LostFile(rawValue: word(3)) else { return nil }
            self = .vanish(writer: numbers[0], kind, number: numbers[1])
        case ("squat", 1):
            guard let kind = ForeignFile(rawValue: word(2)) else { return nil }
            self = .squat(replica: numbers[0], kind)
        case ("rekey", 1):
            guard let change = KeyChange(rawValue: word(2)) else { return nil }
            self = .rekey(replica: numbers[0], change)
        case ("revoke", 2): self = .revoke(replica: numbers[0], other: numbers[1])
        case ("limit", 2): self = .limit(replica: numbers[0], bytes: numbers[1])
        case ("administer", 1): self = .administer(replica: numbers[0])
        default: return nil
        }
    }
}

extension FileFault {
    fileprivate var words: String {
        switch self {
        case .none: "whole"
        case .partial(let percent): "partial \(percent)"
        case .appended: "appended"
        case .damaged(let percent): "damaged \(percent)"
        case .conflictCopy(let percent): "conflict \(percent)"
        case .removed: "removed"
        case .completed: "completed"
        }
    }

    fileprivate init?(words: [String]) {
        let percent = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words.first {
        case "whole": self = .none
        case "partial": self = .partial(percent)
        case "appended": self = .appended
        case "damaged": self = .damaged(percent)
        case "conflict": self = .conflictCopy(percent)
        case "removed": self = .removed
        case "completed": self = .completed
        default: return nil
        }
    }
}
