import Testing

@testable import TributaryModel

/// Relationships by which two machines can make objects each other's ancestors.
struct CircleNoticeTests {
    private func named(_ entities: String) throws -> [String] {
        try Model(yaml: "version: \"1\"\nentities: {\(entities)}").circleNotices.map { String($0.prefix { $0 != " " }) }
    }

    @Test func `a to-one relationship to its own entity or an ancestor is named once`() throws {
        let found = try named(
            """
            Item: {attributes: {name: String?}, relationships: {children: {to: Item, many: true, inverse: folder}, \
            folder: {to: Item?, inverse: children}, source: {to: Item?}}},
            Note: {parent: Item, relationships: {about: {to: Item?}, answers: {to: Note?, inverse: replies}, \
            replies: {to: Note, many: true, inverse: answers}}}
            """
        )
        #expect(found == ["Item.folder", "Item.source", "Note.about", "Note.answers"])
    }

    @Test func `a to-one relationship to a sub-entity is named, whose objects have it too`() throws {
        let found = try named(
            """
            Node: {relationships: {parent: {to: Folder?, inverse: children}, mark: {to: Mark?}}},
            Folder: {parent: Node, relationships: {children: {to: Node, many: true, inverse: parent}}}, Mark: {}
            """
        )
        #expect(found == ["Node.parent"])
    }

    @Test func `other relationships make no circles`() throws {
        let found = try named(
            """
            Item: {relationships: {partner: {to: Item?, inverse: partner}, list: {to: List?, inverse: items}, \
            friends: {to: Item, many: true, inverse: friends}}},
            List: {relationships: {items: {to: Item, many: true, inverse: list}}},
            Note: {parent: Item, relationships: {tag: {to: Tag?}}}, Tag: {parent: Item}
            """
        )
        #expect(found.isEmpty)
    }
}
