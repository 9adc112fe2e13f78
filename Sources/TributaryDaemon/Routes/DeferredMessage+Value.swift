import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

extension DeferredMessage {
    init(_ value: DeferredValue) {
        let write = value.write
        self.init(
            writer: write.writer.description,
            sequence: write.sequence,
            entity: write.entity,
            id: write.object.description,
            rule: value.rule,
            text: value.text
        )
        file = value.segment?.path
        line = value.line
        property = write.property
        self.value = write.value.map {
            $0.count > DeferredMessage.valueLimit ? $0.prefix(DeferredMessage.valueLimit) + "…" : $0
        }
    }

    private static let valueLimit = 200
}
