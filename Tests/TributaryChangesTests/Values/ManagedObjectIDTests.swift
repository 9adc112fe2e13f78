import Foundation
import TestSupport
import Testing
import TributaryChanges

@Suite struct ManagedObjectIDTests {
    private static let uniqueID = UniqueID(high: 1, low: 2)
    /// The unreserved characters of RFC 3986.
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    )

    private static func uri(_ store: String, _ root: String, _ entity: String) -> String {
        ManagedObjectID(store: store, entity: entity, rootEntity: root, uniqueID: uniqueID).uri
    }

    @Test func namesAreEncodedAsFoundationEncodesThemAndReadBack() throws {
        var generator = SeededGenerator.printingSeed()
        for _ in LongProofs.rounds(5_000) {
            let names = (0..<3).map { _ in name(&generator) }
            let encoded = try names.map {
                try #require($0.addingPercentEncoding(withAllowedCharacters: ManagedObjectIDTests.unreserved))
            }
            let uri = ManagedObjectIDTests.uri(names[0], names[1], names[2])
            #expect(Array(uri.utf8) == Array("tributary://\(encoded.joined(separator: "/"))/\(Self.uniqueID)".utf8))
            let id = try #require(ManagedObjectID(uri: uri))
            #expect(ManagedObjectID(uriRepresentation: id.uriRepresentation())?.uri == uri)
            for (read, name) in zip([id.store, id.rootEntity, id.entity], names) {
                #expect(Array(read.utf8) == Array(name.utf8), "\(name.debugDescription)")
            }
        }
    }

    @Test(arguments: ["%A9", "%C3", "a%FFb", "%ED%A0%80", "%", "%4", "%4g", "%+1"])
    func namesThatAreNotEncodedUTF8AreRefused(name: String) {
        #expect(ManagedObjectID(uri: "tributary://store/\(name)/Entity/\(Self.uniqueID)") == nil)
    }

    /// A name of one to eleven scalars, of every length in UTF-8.
    private func name(_ generator: inout SeededGenerator) -> String {
        var name = ""
        for _ in 0...(generator.next() % 11) {
            let limit: UInt32 = [0x80, 0x100, 0x800, 0x10000, 0x110000][Int(generator.next() % 5)]
            let number = UInt32(truncatingIfNeeded: generator.next()) % limit
            name.unicodeScalars.append(Unicode.Scalar(number) ?? "%")
        }
        return name
    }
}
