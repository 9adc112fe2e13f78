package import GRDB
package import TributaryChanges

/// One state of the store, valid only inside the closure that receives the reader.
package struct Reader {
    package let database: Database
    package let context: StoreContext

    package init(database: Database, context: StoreContext) {
        self.database = database
        self.context = context
    }

    package var history: HistoryReader { HistoryReader(reader: self) }

    package var writers: WriterReader { WriterReader(reader: self) }

    package var outbox: OutboxReader { OutboxReader(reader: self) }

    package var deferrals: DeferredWriteReader { DeferredWriteReader(reader: self) }

    package var conflicts: ConflictReader { ConflictReader(reader: self) }

    package var mergeState: MergeStateReader { MergeStateReader(reader: self) }

    package var externalValues: ExternalValueReader { ExternalValueReader(reader: self) }

    package var inspection: StoreInspection { StoreInspection(reader: self) }

    package var baseline: BaselineText { BaselineText(reader: self) }

    package func setting(_ key: String) throws -> String? { try settings.value(of: Setting(key)) }

    package var settings: SettingTable { SettingTable(database) }

    package func readable(_ value: PropertyValue) -> PropertyValue { context.readable(value) }
}
