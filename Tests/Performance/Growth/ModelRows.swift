import Foundation
import TestSupport
import TributaryChanges
import TributaryModel
import TributaryStore

/// The costs of a model with many versions, in elapsed time, because a user waits for them.
enum ModelRows {
    /// Entities of each version.
    private static let entities = 60

    static let all = [
        // 0.5 s at most at 64 versions.
        GrowthRow(title: "a start at the newest of n versions of a model", order: .constant, smallest: 16) { count in
            let folder = try TemporaryFolder.inMemory("growth")
            try write(versions: count, to: folder)
            return try await Effort.measure {
                let model = try Model(contentsOf: folder.path("Shop.xcdatamodeld"))
                try open(folder, model).close()
            }.wall * 1_000
        },
        // A minute at most for 100 versions, a second for a step, which compares with all versions before it to say what
        // the name of the deferred value means now.
        GrowthRow(
            title: "a store with a deferred value taken through n versions of a model",
            order: .quadratic,
            smallest: 25,
            runs: 1
        ) { count in
            let folder = try TemporaryFolder.inMemory("growth")
            try write(versions: count, to: folder)
            let versions = try Model.versions(contentsOf: folder.path("Shop.xcdatamodeld"))
            return try await Effort.measure {
                for index in versions.indices {
                    let store = try open(folder, versions[index].succeeding(Array(versions[..<index])))
                    if index == 0 {
                        let write = PropertyWrite(name: "value0", value: .string("a"))
                        let change = Change(
                            entity: "Entity0",
                            id: UniqueID(high: 0, low: 1),
                            operation: .insert([write])
                        )
                        try store.write { _ = try $0.commit(LocalTransaction(changes: [change])) }
                    }
                    try store.close()
                }
            }.wall * 1_000
        },
    ]

    private static func open(_ folder: TemporaryFolder, _ model: Model) throws -> Store {
        try Store.open(
            StoreConfiguration(path: folder.path("store.sqlite"), name: "growth", model: model)
        )
    }

    /// Each version gives one entity more an attribute of its own; the last one is the current one.
    ///
    /// Only the first one has `Entity0.value0`.
    private static func write(versions count: Int, to folder: TemporaryFolder) throws {
        for version in 1...count {
            var text = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n<model>\n"
            for entity in 0..<entities {
                text += "<entity name=\"Entity\(entity)\">\n"
                for attribute in (entity == 0 && version > 1 ? 1 : 0)..<6 {
                    text += Self.attribute("value\(attribute)", attribute)
                }
                for added in stride(from: entity + 1, to: version, by: entities) {
                    text += Self.attribute("added\(added)", added)
                }
                let (next, previous) = ((entity + 1) % entities, (entity + entities - 1) % entities)
                text += """
                    <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" \
                    destinationEntity="Entity\(next)" inverseName="previous" inverseEntity="Entity\(next)"/>
                    <relationship name="previous" optional="YES" toMany="YES" deletionRule="Nullify" \
                    destinationEntity="Entity\(previous)" inverseName="next" inverseEntity="Entity\(previous)"/>
                    </entity>

                    """
            }
            text += "</model>\n"
            try folder.write(text, to: "Shop.xcdatamodeld/Shop \(version).xcdatamodel/contents")
        }
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>_XCCurrentVersionName</key><string>Shop \(count).xcdatamodel</string>
            </dict></plist>
            """,
            to: "Shop.xcdatamodeld/.xccurrentversion"
        )
    }

    private static func attribute(_ name: String, _ number: Int) -> String {
        let type = ["String", "Integer 64", "Double", "Date", "Boolean", "Binary"][number % 6]
        return "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\"/>\n"
    }
}
