import TributaryAdmin
import TributaryChanges
import TributarySync

extension MissingMessage {
    init(_ part: MissingPart) {
        self.init(
            writer: part.writer.description,
            writerName: part.writerName,
            holders: part.holders.map {
                Holder(writer: $0.writer.description, name: $0.name, cause: $0.cause.rawValue)
            }
        )
        switch part.dependency {
        case .transactions(_, let from, let through): (first, last) = (from, through)
        case .blob(_, let sha256): blob = sha256
        }
    }
}
