import TestSupport
import Testing
import TributaryChanges

@Suite("Sets of changes")
struct ObjectChangesTests {
    private func id(_ number: UInt64, _ root: String = "Employee") -> ManagedObjectID {
        ManagedObjectID(store: "s", entity: root, rootEntity: root, uniqueID: UniqueID(high: 0, low: number))
    }

    @Test("insert, update and delete of one object fold into what an observer sees")
    func folding() {
        var changes = ObjectChanges()
        changes.insert(id(1))
        changes.update(id(1))
        #expect(changes.inserted == [id(1)] && changes.updated.isEmpty)
        changes.delete(id(1))
        #expect(changes.isEmpty)
        changes.delete(id(2))
        changes.insert(id(2))
        #expect(changes.updated == [id(2)] && changes.deleted.isEmpty && changes.inserted.isEmpty)
        changes.delete(id(2))
        #expect(changes.deleted == [id(2)] && changes.updated.isEmpty)
    }

    @Test("past the limit the largest entity collapses, the others stay listed")
    func collapsing() {
        var changes = ObjectChanges(limit: 5)
        for number in 0..<5 { changes.insert(id(UInt64(number))) }
        changes.update(id(9, "Department"))
        #expect(changes.collapsedEntities == ["Employee"])
        #expect(changes.updated == [id(9, "Department")])
        #expect(changes.covers(id(77)))
        #expect(!changes.covers(id(77, "Department")))
        changes.insert(id(100))
        #expect(changes.inserted.isEmpty)
    }

    @Test("everything swallows what comes before and after")
    func everything() {
        var changes = ObjectChanges()
        changes.insert(id(1))
        changes.collapseEverything()
        changes.delete(id(2))
        #expect(changes.isEverything && changes.count == 0 && !changes.isEmpty)
        var other = ObjectChanges()
        other.formUnion(changes)
        #expect(other.isEverything)
    }

    @Test("a union equals the changes one after another, at any limit", arguments: [1, 2, 7, 1_000])
    func union(limit: Int) {
        var random = SeededGenerator.fromEnvironment()
        for _ in 0..<200 {
            var visible: Set<UInt64> = [0, 1, 2]
            let before = visible
            var whole = ObjectChanges(limit: limit)
            var parts: [ObjectChanges] = []
            for _ in 0..<4 {
                var part = ObjectChanges(limit: limit)
                for _ in 0..<4 {
                    let number = UInt64.random(in: 0..<6, using: &random)
                    if !visible.contains(number) {
                        visible.insert(number)
                        part.insert(id(number))
                    } else if Bool.random(using: &random) {
                        part.update(id(number))
                    } else {
                        visible.remove(number)
                        part.delete(id(number))
                    }
                }
                parts.append(part)
            }
            for part in parts { whole.formUnion(part) }
            for number in 0..<6 as Range<UInt64> where !whole.covers(id(number)) {
                let appeared = !before.contains(number) && visible.contains(number)
                let vanished = before.contains(number) && !visible.contains(number)
                #expect(whole.inserted.contains(id(number)) == appeared, "seed \(random.seed)")
                #expect(whole.deleted.contains(id(number)) == vanished, "seed \(random.seed)")
            }
            #expect(whole.count <= limit)
        }
    }

    @Test("URIs name objects with any names and read back")
    func uris() throws {
        let odd = ManagedObjectID(
            store: "till 12/ü",
            entity: "Sub/Entity",
            rootEntity: "Entität",
            uniqueID: UniqueID(high: 1, low: 2)
        )
        let read = try #require(ManagedObjectID(uri: odd.uri))
        #expect(read == odd && read.store == odd.store && read.entity == odd.entity)
        for text in [
            "", "tributary://a/b/c", "tributary://a/b/c/d", "http://a/b/c/\(odd.uniqueID)",
            "tributary://a//c/\(odd.uniqueID)",
        ] {
            #expect(ManagedObjectID(uri: text) == nil, "\(text)")
        }
    }
}
