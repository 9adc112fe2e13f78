import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Opening a store reads only those versions of a model that it needs.
struct ModelVersionReadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("versions") }

    /// A model with the given number of versions, the last of them current; each renames one attribute and adds
    /// another.
    private func model(_ count: Int, from first: Int = 1, name: String = "Shop") throws -> Model {
        for number in first...count {
            let attributes = (1...number).map {
                "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"String\"/>"
            }
            let former = number > 1 ? " elementID=\"label\(number - 1)\"" : ""
            try folder.write(
                """
                <model><entity name="Item"><attribute name="label\(number)" optional="YES" attributeType="String"\(former)/>
                \(attributes.joined(separator: "\n"))</entity></model>
                """,
                to: "\(name).xcdatamodeld/\(name) \(number).xcdatamodel/contents"
            )
        }
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(name) \(count).xcdatamodel</string></dict></plist>
            """,
            to: "\(name).xcdatamodeld/.xccurrentversion"
        )
        return try Model(contentsOf: folder.path("\(name).xcdatamodeld"))
    }

    private func open(_ model: Model) throws -> Store {
        try Store.open(
            StoreConfiguration(path: folder.path("store.sqlite"), name: "test", model: model)
        )
    }

    /// Opens the store, and closes it when its versions are recorded.
    private func record(_ model: Model) throws {
        let store = try open(model)
        store.recording.withLock { $0 }?.done.wait()
        try store.close()
    }

    private func recordedVersions() throws -> [String] {
        let sql = "SELECT version FROM tributary_model ORDER BY number"
        return try PlainSQL(path: folder.path("store.sqlite")).rows(sql).compactMap { $0.first ?? nil }
    }

    @Test func aStoreAtTheCurrentVersionReadsNoOther() throws {
        let names = (1...12).map { "Shop \($0)" }
        try record(try model(12))
        #expect(try recordedVersions() == names)
        let again = try model(12)
        #expect(again.earlier.count == 11 && again.earlier.readings == 0)
        let reopened = try open(again)
        #expect(reopened.recording.withLock { $0 == nil })
        #expect(again.earlier.readings == 0)
        // The store resolves a name of an older version from its own records; the newest file says that these are enough.
        let entity = try #require(reopened.model.entity(named: "Item"))
        #expect(
            reopened.context.layout.propertyIndex(named: "label3", of: entity) == entity.propertyIndex(named: "label12")
        )
        #expect(again.earlier.readings == 1)
        try reopened.close()
    }

    @Test func aRecordedVersionThatCannotBeReadIsTold() throws {
        try record(try model(4))
        let damage = "UPDATE tributary_model SET definition = 'none' WHERE version = 'Shop 2'"
        try PlainSQL(path: folder.path("store.sqlite")).execute(damage)
        let model = try model(4)
        let told = Mutex<[String]>([])
        model.earlier.onFailure { text in told.withLock { $0.append(text) } }
        let reopened = try open(model)
        let entity = try #require(reopened.model.entity(named: "Item"))
        _ = reopened.context.layout.propertyIndex(named: "label3", of: entity)
        try reopened.close()
        let text = try #require(told.withLock(\.self).first)
        #expect(told.withLock(\.count) == 1 && text.hasPrefix("version 'Shop 2' is left out: "), "\(text)")
    }

    @Test func aStepReadsTheVersionThatTheStoreIsAtAndNoOther() throws {
        try record(try model(7))
        let next = try model(8, from: 8)
        let migrated = try open(next)
        #expect(next.earlier.count == 7)
        #expect(next.earlier.readings == 1)
        try migrated.close()
        #expect(try recordedVersions() == (1...8).map { "Shop \($0)" })
        let farther = try model(11, from: 9)
        try open(farther).close()
        #expect(farther.earlier.readings == 3)
        #expect(try recordedVersions() == (1...11).map { "Shop \($0)" })
        // The store refuses another model that does not list the newer version as older.
        let older = try model(8, from: 7)
        #expect(throws: MigrationError.self) { try open(older) }
    }

    @Test func aVersionThatIsWhatAnOlderOneWasIsNewer() throws {
        func version(_ name: String, hasNote: Bool) throws -> Model {
            let note = hasNote ? ", note: String?" : ""
            return try Model(yaml: "version: '\(name)'\nentities: {Item: {attributes: {label: String\(note)}}}")
        }
        let first = try version("1", hasNote: false)
        let second = try version("2", hasNote: true).succeeding([first])
        let third = try version("3", hasNote: false).succeeding([first, second])
        #expect(first.versionHash == third.versionHash)
        for model in [first, second, third] { try open(model).close() }
        #expect(try recordedVersions() == ["1", "2", "3"])
        // Without the newer versions beside it, the model is an older one.
        try open(second.succeeding([first, second, third])).close()
        #expect(throws: MigrationError.self) { try open(first) }
    }

    @Test func anUnrecordedVersionIsRecordedAtTheNextOpening() throws {
        let store = try open(try model(5))
        store.recording.withLock { $0 }?.done.wait()
        try store.write { transaction in
            try transaction.setSetting(RecordedModels.unrecordedKey, to: "1")
            try transaction.db.execute(sql: "DELETE FROM tributary_model WHERE version IN ('Shop 1', 'Shop 3')")
        }
        try store.close()
        try record(try model(5))
        #expect(Set(try recordedVersions()) == Set((1...5).map { "Shop \($0)" }))
        #expect(try recordedVersions().last == "Shop 5")
    }

    @Test func aVersionThatCannotBeReadIsLeftOutWithANotice() throws {
        _ = try model(4)
        try folder.write("<model>", to: "Shop.xcdatamodeld/Shop 2.xcdatamodel/contents")
        let model = try Model(contentsOf: folder.path("Shop.xcdatamodeld"))
        let told = Mutex<[String]>([])
        model.earlier.onFailure { text in told.withLock { $0.append(text) } }
        try record(model)
        #expect(model.earlier.passing().map(\.version) == ["Shop 1", "Shop 3"])
        let text = try #require(told.withLock(\.self).first)
        #expect(told.withLock(\.count) == 1 && text.hasPrefix("version 'Shop 2' is left out: "), "\(text)")
        #expect(text.contains(folder.path("Shop.xcdatamodeld/Shop 2.xcdatamodel/contents")), "\(text)")
        #expect(try recordedVersions() == ["Shop 1", "Shop 3", "Shop 4"])
        #expect(model.earlierVersions.map(\.version) == ["Shop 1", "Shop 3"])
        #expect(model.notices.count == 1 && model.notices.first?.contains("Shop 2") == true)
    }
}
