import GRDB
import TributaryChanges

/// The sequences of other writers that each store had acknowledged by each of its imported transactions.
///
/// `tributary_seen` contains only the newest acknowledgements. A waiting row is compared later, and needs older ones,
/// so each sequence is kept with the first transaction that acknowledges it.
final class SeenSequences {
    private struct Pair: Hashable {
        var store: Int
        var other: Int64
    }

    private struct Step {
        var number: Int64
        var sequence: UInt64
    }

    private struct Former {
        var writer: Int64
        var sequence: UInt64
    }

    /// The place of a writer in the chain of writers that continue each other; the first writer has the depth 0.
    private struct Place {
        var depth = 0
        var former: Former?
        /// An earlier writer of the chain; with these shortcuts, finding a writer takes O(log n) steps.
        var jump: Int64
    }

    private struct Question: Hashable {
        var writer: Int64
        var other: Int64
    }

    private let label: BoundStatement
    private let select: BoundStatement
    private let exists: BoundStatement
    private let followers: BoundStatement
    private let former: BoundStatement
    private var labels: [String] = []
    private var places: [String: Int] = [:]
    private var stores: [Int64: Int] = [:]
    private var steps: [Pair: [Step]] = [:]
    private var firsts: [Int: Int64?] = [:]
    /// The transaction from which on a writer has anything of another writer, or of a writer that continues it.
    private var reached: [Question: Int64] = [:]
    /// A transaction at which the writer had nothing of the other writer, or of a writer that continues it.
    private var unreached: [Question: Int64] = [:]
    private var next: [Int64: [(writer: Int64, sequence: UInt64)]] = [:]
    private var formers: [Int64: Former?] = [:]
    private var lines: [Int64: Place] = [:]

    init(_ db: Database) throws {
        label = try BoundStatement(db, "SELECT ifnull(store, uuid) FROM tributary_writer WHERE id = ?1")
        select = try BoundStatement(db, "SELECT sequence FROM tributary_seen WHERE store = ?1 AND other = ?2")
        exists = try BoundStatement(db, "SELECT 1 FROM tributary_seen WHERE store = ?1 AND sequence > 0 LIMIT 1")
        followers = try BoundStatement(
            db,
            """
            SELECT f.id, f.after_sequence FROM tributary_writer w JOIN tributary_writer f ON f.after = w.uuid
            WHERE w.id = ?1
            """
        )
        former = try BoundStatement(
            db,
            """
            SELECT p.id, w.after_sequence FROM tributary_writer w JOIN tributary_writer p ON p.uuid = w.after
            WHERE w.id = ?1
            """
        )
    }

    /// Call this before `tributary_seen` is updated; costs one lookup for each acknowledged writer.
    func record(_ seen: [(other: Int64, sequence: UInt64)], by writer: Int64, number: Int64) throws {
        // The transaction may be the first of a writer that continues another writer.
        if !next.isEmpty, let former = try former(of: writer) { next[former.writer] = nil }
        guard !seen.isEmpty else { return }
        let store = try store(of: writer)
        if try first(store) == nil { firsts[store] = number }
        for (other, sequence) in seen {
            let pair = Pair(store: store, other: other)
            guard try sequence > steps(of: pair).last?.sequence ?? 0 else { continue }
            steps[pair, default: []].append(Step(number: number, sequence: sequence))
        }
    }

    /// Whether the store of `writer` had acknowledged a transaction of `other` by its own transaction `number`.
    ///
    /// Nil if the store had never acknowledged anything. A store that has anything of a writer has everything that this
    /// writer continues. Costs O(log n) if `writer` continues `other`; otherwise one step for each later writer of the
    /// other store.
    func had(_ sequence: UInt64, of other: Int64, seenBy writer: Int64, at number: Int64) throws -> Bool? {
        let store = try store(of: writer)
        let acknowledges = try first(store).map { $0 <= number } ?? false
        func direct(_ other: Int64) throws -> UInt64 {
            guard acknowledges else { return 0 }
            let known = try steps(of: Pair(store: store, other: other))
            var (low, high) = (0, known.count)
            while low < high {
                let middle = (low + high) / 2
                if known[middle].number <= number { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? 0 : known[low - 1].sequence
        }
        if try direct(other) >= sequence { return true }
        if try isFarBehind(other), try continues(writer, other, through: sequence) { return true }
        var rest = try followers(of: other).filter { $0.sequence >= sequence }.map(\.writer)
        var (isLine, visited) = (rest.count == 1, Set(rest))
        while let last = rest.popLast() {
            let question = Question(writer: writer, other: last)
            if unreached[question] == number { continue }
            if try last == writer || reached[question] ?? .max <= number || direct(last) > 0 {
                // The search visited one chain without branches.
                if isLine { for other in visited { reached[Question(writer: writer, other: other)] = number } }
                return true
            }
            let next = try followers(of: last).map(\.writer).filter { visited.insert($0).inserted }
            isLine = isLine && next.count == 1
            rest += next
        }
        for other in visited { unreached[Question(writer: writer, other: other)] = number }
        return acknowledges ? false : nil
    }

    /// Whether the chain after a writer is so long that reading it whole, to know all places, is faster.
    private func isFarBehind(_ writer: Int64) throws -> Bool {
        var last = writer
        for _ in 0..<SeenSequences.near {
            guard let follower = try followers(of: last).first else { return false }
            last = follower.writer
        }
        return true
    }

    private static let near = 32

    private func continues(_ writer: Int64, _ other: Int64, through sequence: UInt64) throws -> Bool {
        // Most writers continue no other writer.
        guard try former(of: writer) != nil else { return false }
        let depth = try self.place(of: other).depth
        var place = try self.place(of: writer)
        guard place.depth > depth else { return false }
        while place.depth > depth + 1, let former = place.former {
            let jump = try self.place(of: place.jump)
            place = jump.depth > depth ? jump : try self.place(of: former.writer)
        }
        return place.former.map { $0.writer == other && $0.sequence >= sequence } ?? false
    }

    private func place(of writer: Int64) throws -> Place {
        if let known = lines[writer] { return known }
        var (unknown, visited) = ([writer], Set([writer]))
        while let last = unknown.last, let former = try former(of: last), lines[former.writer] == nil,
            visited.insert(former.writer).inserted
        {
            unknown.append(former.writer)
        }
        var place = Place(jump: writer)
        for writer in unknown.reversed() {
            place = Place(jump: writer)
            if let former = try former(of: writer), let before = lines[former.writer] {
                let jump = lines[before.jump] ?? before
                let far = lines[jump.jump] ?? jump
                let isEven = before.depth - jump.depth == jump.depth - far.depth
                place = Place(
                    depth: before.depth + 1,
                    former: former,
                    jump: isEven && jump.depth < before.depth ? jump.jump : former.writer
                )
            }
            lines[writer] = place
        }
        return place
    }

    private func former(of writer: Int64) throws -> Former? {
        if let known = formers[writer] { return known }
        former.bind(1, writer)
        let found = try former.first { Former(writer: $0.integer(0), sequence: $0.sequence(1)) }
        formers[writer] = .some(found)
        return found
    }

    private func store(of writer: Int64) throws -> Int {
        if let known = stores[writer] { return known }
        label.bind(1, writer)
        let text = try label.first { $0.text(0) } ?? ""
        let place = places[text] ?? labels.count
        if place == labels.count { labels.append(text) }
        (places[text], stores[writer]) = (place, place)
        return place
    }

    private func first(_ store: Int) throws -> Int64? {
        if let known = firsts[store] { return known }
        exists.bind(1, labels[store])
        let found = try exists.first { _ in Int64(0) }
        firsts[store] = .some(found)
        return found
    }

    private func steps(of pair: Pair) throws -> [Step] {
        if let known = steps[pair] { return known }
        select.bindAll(labels[pair.store], pair.other)
        let sequence = try select.first { $0.sequence(0) }
        let made = [Step(number: 0, sequence: sequence ?? 0)]
        steps[pair] = made
        return made
    }

    private func followers(of writer: Int64) throws -> [(writer: Int64, sequence: UInt64)] {
        if let known = next[writer] { return known }
        followers.bind(1, writer)
        let found = try followers.all { (writer: $0.integer(0), sequence: $0.sequence(1)) }
        next[writer] = found
        return found
    }
}
