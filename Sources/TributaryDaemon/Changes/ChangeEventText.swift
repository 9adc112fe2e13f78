import Foundation
import NIOCore
import Synchronization
import Tributary
import TributaryAdmin
import TributaryChanges
import TributarySync

enum ChangeEventText {
    static let comment = ": still here\n\n"

    static func hello(_ token: HistoryToken, isInitialImportComplete: Bool) -> String {
        let data = JSONValue.object([
            member("token", token.text),
            JSONMember(key: "initialImportComplete", value: .boolean(isInitialImportComplete)),
        ])
        return text(ServerSentEvent(event: "hello", data: data.text))
    }

    /// The event of an initial import that has become complete since ``hello(_:isInitialImportComplete:)``.
    static let initialImport = ServerSentEvent(event: "initialImport", data: "{}")

    static let bye = text(ServerSentEvent(event: "bye", data: "{}"))

    /// Formats an update, the only event with an ID: a client that reconnects continues after it.
    static func update(_ update: StoreUpdate) -> String {
        text(
            ServerSentEvent(event: "storeDidUpdate", data: data(of: update).text, id: update.token.text)
        )
    }

    static func activity(_ activity: Activity) -> ServerSentEvent {
        ServerSentEvent(
            event: "activity",
            data: JSONValue.object([
                JSONMember(key: "number", value: .integer(Int64(clamping: activity.number))),
                member("title", activity.title), member("phase", activity.phase.rawValue),
            ]).text
        )
    }

    static func segment(_ status: SegmentStatus) -> ServerSentEvent {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = (try? encoder.encode(SegmentsMessage.Segment(status))).map { String(decoding: $0, as: UTF8.self) }
        return ServerSentEvent(event: "segment", data: data ?? "{}")
    }

    static func text(_ event: ServerSentEvent) -> String {
        var lines = ["event: \(event.event)"]
        if let id = event.id { lines.append("id: \(id)") }
        lines.append("data: \(event.data)")
        return lines.joined(separator: "\n") + "\n\n"
    }

    private static func data(of update: StoreUpdate) -> JSONValue {
        var members = [JSONMember(key: "number", value: .integer(update.token.number))]
        let changes = update.changes
        if changes.isEverything {
            members.append(JSONMember(key: "everything", value: .boolean(true)))
            return .object(members)
        }
        members.append(JSONMember(key: "inserted", value: byEntity(changes.inserted)))
        members.append(JSONMember(key: "updated", value: byEntity(changes.updated)))
        members.append(JSONMember(key: "deleted", value: byEntity(changes.deleted)))
        if !changes.collapsedEntities.isEmpty {
            let entities = changes.collapsedEntities.sorted().map(JSONValue.string)
            members.append(JSONMember(key: "collapsed", value: .array(entities)))
        }
        return .object(members)
    }

    private static func byEntity(_ ids: Set<ManagedObjectID>) -> JSONValue {
        let groups = Dictionary(grouping: ids, by: \.entity).sorted { $0.key < $1.key }
        return .object(
            groups.map { entity, ids in
                let texts = ids.map(\.uniqueID).sorted().map { JSONValue.string($0.description) }
                return JSONMember(key: entity, value: .array(texts))
            }
        )
    }

    private static func member(_ key: String, _ text: String) -> JSONMember {
        JSONMember(key: key, value: .string(text))
    }
}

/// The text of the newest update, which the clients share: one that names many objects is large.
final class ChangeTexts: Sendable {
    private let newest = Mutex<(update: StoreUpdate, buffer: ByteBuffer)?>(nil)

    func buffer(of update: StoreUpdate) -> ByteBuffer {
        newest.withLock { newest in
            if let newest, newest.update == update { return newest.buffer }
            let buffer = ByteBuffer(string: ChangeEventText.update(update))
            newest = (update, buffer)
            return buffer
        }
    }
}
