import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// `tributaryctl segment inspect|verify|write` as people and scripts run them.
@Suite struct OfflineSegmentTests {
    let folder: TemporaryFolder
    let writer = "5f0c0000-0000-7000-8000-000000000001"
    let id = "0190f1a2-0000-7000-8000-000000000001"

    init() throws {
        folder = try TemporaryFolder("offline")
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: true)
        try folder.write(
            """
            version: "3"
            entities:
              Item:
                attributes:
                  name: {type: String}
                  count: {type: Integer 32, optional: true}
                relationships:
                  tags: {to: Tag, inverse: items, many: true, optional: true}
              Tag:
                attributes:
                  title: {type: String, optional: true}
                relationships:
                  items: {to: Item, inverse: tags, many: true, optional: true}
            """,
            to: "model.yaml"
        )
    }

    private func run(_ arguments: String..., input: String = "") async throws -> Answer {
        try await Answer(of: ["segment"] + arguments, in: folder, input: input, environment: ["NO_COLOR": "1"])
    }

    private func json(_ answer: Answer) throws -> JSONValue {
        try JSONParser.parse(answer.output.trimmingCharacters(in: .newlines), depthLimit: 16)
    }

    private func write(
        _ input: String = "",
        to logs: String = "logs",
        as writer: String? = nil,
        model: String = "model.yaml"
    ) async throws -> Answer {
        let (logs, model) = ("--logs=\(folder.path(logs))", "--model=\(folder.path(model))")
        return try await run("write", logs, "--writer", writer ?? self.writer, model, "--json", input: input)
    }

    private func names() throws -> [String] {
        let path = folder.path("logs/\(writer)")
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test func writtenSegmentsVerifyAndContinueWhereTheLastOneEnded() async throws {
        let first = try await write(
            """
            {"insert":"Item","id":"\(id)","values":{"name":"Ann","count":7}}

            {"insert":"Tag","values":{"title":"é"}}
            """
        )
        #expect(first.ending == .exited(0), "\(first.errors)")
        let answer = try json(first)
        #expect(answer["changes"] == .integer(2))
        #expect(answer["transaction"] == .integer(1))
        guard case .array(let ids)? = answer["ids"] else { throw CocoaError(.coderReadCorrupt) }
        #expect(ids.first == .string(id))
        #expect(ids.count == 2)

        let second = try await write("{\"update\":\"Item\",\"id\":\"\(id)\",\"values\":{\"count\":null}}\n")
        #expect(second.ending == .exited(0), "\(second.errors)")
        #expect(
            try names() == ["0000000000000001-0000000000000001.tlog", "0000000000000002-0000000000000002.tlog"]
        )
        let paths = try names().map { folder.path("logs/\(writer)/\($0)") }
        let verified = try await run("verify", "--json", paths[0], paths[1])
        #expect(verified.ending == .exited(0))
        #expect(!verified.output.contains("rejected"))
        let inspected = try await run("inspect", "--json", paths[1])
        #expect(try json(inspected)["header"]?["previous"] == answer["sha256"])
        #expect(try json(inspected)["header"]?["model"] == .string("3"))
    }

    @Test(arguments: [
        ("{\"insert\":\"Nothing\"}", "the model has no entity 'Nothing'"),
        ("{\"insert\":\"Item\",\"values\":{\"color\":1}}", "the model has no property 'Item.color'"),
        (
            "{\"insert\":\"Item\",\"values\":{\"count\":\"x\"}}",
            "'Item.count' is of type Integer 32, which \"x\" does not fit"
        ),
        (
            "{\"insert\":\"Item\",\"values\":{\"count\":2147483648}}",
            "'Item.count' is of type Integer 32, which 2147483648 does not fit: write an integer from -2147483648 to"
        ),
        ("{\"insert\":\"Item\",\"values\":{\"name\":null}}", "'Item.name' is mandatory, not null"),
        ("{\"insert\":\"Item\",\"values\":{\"tags\":[]}}", "'Item.tags' is to-many: use link and unlink"),
        (
            "{\"insert\":\"Tag\",\"id\":\"0190f1a2-0000-7000-8000-000000000001\",\"identity\":[\"title\"]}",
            "an insert with 'id' has 'identity' as well"
        ),
        ("{\"update\":\"Item\",\"values\":{}}", "the key 'id' is missing"), ("{\"insert\":\"Item\"", "it ends where"),
        ("nonsense", "was found where a value is expected"),
    ])
    func aBadLineIsNamedAndNothingIsWritten(_ line: String, _ reason: String) async throws {
        let result = try await write("{\"insert\":\"Tag\"}\n\(line)\n{\"insert\":\"Tag\"}\n")
        #expect(result.ending == .exited(65))
        #expect(result.errors.contains("standard input, line 2: "))
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(try names().isEmpty)
    }

    private func key(_ name: String, mode: mode_t = 0o600) throws -> (path: String, key: PublicKey) {
        let key = SigningKey.generate()
        try folder.write(String(decoding: key.pem, as: UTF8.self), to: name)
        try #require(chmod(folder.path(name), mode) == 0)
        return (folder.path(name), key.publicKey)
    }

    /// The lines before the end line, and the end line's members, whose signature has to be valid.
    private func signed(
        _ file: String,
        by key: PublicKey
    ) throws -> (lines: ArraySlice<Substring>, end: JSONValue) {
        let path = folder.path("logs/\(writer)/\(file)")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let end = try JSONParser.parse(String(try #require(lines.last)))
        guard case .string(let hash)? = end["sha256"], case .string(let own)? = end["key"],
            case .string(let value)? = end["signature"]
        else { throw CocoaError(.coderReadCorrupt) }
        let signature = try #require(Signature(key: own, value: value))
        #expect(signature.key == key && signature.isValid(of: SignedText.of("\(writer)/\(file)", hash)))
        return (lines.dropLast(), end)
    }

    @Test func aProducersSegmentIsSignedWithItsOwnKey() async throws {
        let (path, key) = try key("gate.key")
        #expect(try await write("{\"insert\":\"Tag\"}\n").ending == .exited(0))
        let name = try #require(try names().first)
        let file = folder.path("logs/\(writer)/\(name)")
        // Members that the command does not know stay.
        let unsigned = try String(contentsOfFile: file, encoding: .utf8)
        let further = unsigned.dropLast(2) + ",\"further\":[1]}\n"
        try Data(further.utf8).write(to: URL(fileURLWithPath: file))
        try #require(chmod(file, 0o640) == 0)
        // The superuser signs what belongs to the producer.
        let owner = geteuid() == 0 ? 12_345 : geteuid()
        try #require(chown(file, owner, getegid()) == 0)
        let answer = try await run("sign", "--key", path, file)
        #expect(answer.ending == .exited(0), "\(answer)")
        #expect(answer.output.hasSuffix("tributaryctl writer trust \(writer) --key \(key)\n"), "\(answer)")
        let (lines, end) = try signed(name, by: key)
        #expect(lines == further.split(separator: "\n").dropLast() && end["further"] == .array([.integer(1)]))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o640 && status.st_uid == owner)
        #expect(try names() == [name])
        #expect(try await run("verify", file).ending == .exited(0))
        // Once more, and with another key.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(try await run("sign", "--key", path, "--json", file).ending == .exited(0))
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
        // The first signed file takes the place of the one that was verified.
        let twice = try await run("sign", "--key", path, file, file)
        #expect(twice.ending == .exited(75) && twice.errors.contains("was replaced while"), "\(twice)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
        #expect(try names() == [name])
        let other = try self.key("other.key")
        let refused = try await run("sign", "--key", other.path, file)
        #expect(refused.ending == .exited(77) && refused.errors.contains("key \(key) has signed it"), "\(refused)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
        let again = try json(try await run("sign", "--replace", "--key", other.path, "--json", file))
        #expect(again["key"] == .string(other.key.description))
        _ = try signed(name, by: other.key)
        // A segment that is signed when it is written.
        let (logs, model) = ("--logs=\(folder.path("logs"))", "--model=\(folder.path("model.yaml"))")
        let written = try await run(
            "write",
            logs,
            "--writer",
            writer,
            model,
            "--key",
            path,
            "--json",
            input: "{\"insert\":\"Tag\"}\n"
        )
        #expect(try json(written)["key"] == .string(key.description))
        _ = try signed(try #require(try names().last), by: key)
    }

    @Test func aKeyThatOthersMayReadSignsNothing() async throws {
        let (path, _) = try key("gate.key", mode: 0o644)
        #expect(try await write("{\"insert\":\"Tag\"}\n").ending == .exited(0))
        let file = folder.path("logs/\(writer)/\(try #require(try names().first))")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let open = try await run("sign", "--key", path, file)
        #expect(open.ending == .exited(65) && open.errors.contains("chmod 600 \(path)"), "\(open)")
        let none = try await run("sign", "--key", folder.path("none"), file)
        #expect(none.ending == .exited(66) && none.errors.contains("openssl genpkey -algorithm ed25519"), "\(none)")
        #expect(try await run("sign", file).ending == .exited(64))
        try folder.write("no key", to: "gate.key")
        #expect(chmod(path, 0o600) == 0)
        #expect(try await run("sign", "--key", path, file).ending == .exited(65))
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    }

    @Test func noInputWritesNothing() async throws {
        #expect(try await write("\n").ending == .exited(65))
        #expect(try names().isEmpty)
    }

    @Test func aFolderOrModelThatIsNotThereIsNoSuchThing() async throws {
        #expect(try await write(model: "no.yaml").ending == .exited(66))
        #expect(try await write(to: "no").ending == .exited(66))
        #expect(try await write(as: "me").ending == .exited(64))
    }

    @Test func aBadSegmentIsExplained() async throws {
        let id = try #require(UniqueID(writer))
        let text = SegmentText(
            writer: id,
            last: 1,
            ["{\"transaction\":1,\"clock\":\"0000000000000001\",\"changes\":2}"]
        )
        let good = SegmentText(
            writer: id,
            last: 1,
            ["{\"transaction\":1,\"clock\":\"0000000000000001\",\"changes\":0}"]
        )
        try folder.write(String(decoding: text.bytes(), as: UTF8.self), to: "logs/\(text.name.path)")
        try folder.write(String(decoding: good.bytes(), as: UTF8.self), to: "copy.tlog")
        try folder.write("{\"tributary\":1", to: "cut.tlog")
        let bad = folder.path("logs/\(text.name.path)")

        let verified = try await run("verify", folder.path("copy.tlog"), bad, folder.path("cut.tlog"))
        #expect(verified.ending == .exited(65))
        #expect(verified.output.contains("copy.tlog: valid, 1 transaction, 0 changes, not in a writer's folder"))
        #expect(verified.output.contains("\(text.name.fileName):3: transaction 1 in line 2 announces 2 changes"))
        #expect(verified.output.contains("[rejected]"))
        #expect(verified.output.contains("[incomplete]"))

        let inspected = try await run("inspect", bad)
        #expect(inspected.ending == .exited(65))
        #expect(inspected.output.contains("rejected"))
        #expect(inspected.output.contains(writer))
        let found = try json(try await run("inspect", "--json", bad))
        #expect(found["state"] == .string("rejected") && found["line"] == .integer(3))
        let reason = try #require(found["reason"]?.string)
        #expect(inspected.output.contains("line 3: \(reason)"))

        #expect(try await run("inspect", folder.path("copy.tlog")).ending == .exited(0))
        let absent = folder.path("absent.tlog")
        #expect(try await run("verify", absent).ending == .exited(66))
        // Of several failures the invalid segment counts, in whatever order they are given.
        #expect(try await run("verify", absent, bad).ending == .exited(65))
        #expect(try await run("verify", bad, absent).ending == .exited(65))
        #expect(try await run("verify", folder.path("logs")).ending == .exited(65))
    }

    /// What a daemon takes or defers, and a program that writes segments is to mend.
    @Test func aStrictVerificationFindsWhatOnlyReadersTake() async throws {
        try folder.write(
            """
            composites: {Place: {hall: "UUID?", note: "String?"}}
            entities:
              Item:
                attributes:
                  name: String
                  code: {type: UUID, optional: true}
                  place: {composite: Place, optional: true}
                relationships: {owner: {to: Owner, inverse: items, optional: true}}
              Owner:
                attributes: {title: {type: String, optional: true}}
                relationships: {items: {to: Item, inverse: owner, many: true, optional: true}}
            """,
            to: "owners.yaml"
        )
        let (upper, other) = (id.uppercased(), "0190f1a2-0000-7000-8000-00000000000b")
        func text(_ id: String, _ owner: String, _ lines: [String]) throws -> String {
            let begin = #"{"transaction":1,"clock":"0000000000000001","changes":\#(lines.count + 1)}"#
            let place = #"{"hall":"\#(id)","note":"\#(upper)"}"#
            let insert =
                #"{"insert":"Item","id":"\#(id)","values":{"name":"\#(upper)","code":"\#(id)","owner":"\#(owner)","place":\#(place)}}"#
            let segment = SegmentText(writer: try #require(UniqueID(writer)), last: 1, [begin, insert] + lines)
            return String(decoding: segment.bytes(), as: UTF8.self)
        }
        try folder.write(try text(id, other, []), to: "good.tlog")
        let lines = [
            #"{"link":"Owner","id":"\#(other)","to":"items","ids":["\#(id)"]}"#,
            #"{"update":"Item","id":"\#(id)","values":{"code":"none"}}"#,
        ]
        try folder.write(try text(upper, other.uppercased(), lines), to: "bad.tlog")
        let owners = "--model=\(folder.path("owners.yaml"))"
        let (good, bad) = (folder.path("good.tlog"), folder.path("bad.tlog"))
        #expect(try await run("verify", owners, good).ending == .exited(0))
        let passed = try await run("verify", "--strict", owners, good)
        #expect(passed.ending == .exited(0), "\(passed)")
        let refused = try await run("verify", "--strict", owners, bad)
        #expect(refused.ending == .exited(65))
        let place = "Item \(id): "
        for finding in [
            "bad.tlog: well formed, but not valid for this model: 6 faults, not in a writer's folder",
            "line 3: \(place)\(upper) is not in lower case",
            "line 3: \(place)'code': \(upper) is not in lower case",
            "line 3: \(place)'place.hall': \(upper) is not in lower case",
            "line 3: \(place)'owner': \(other.uppercased()) is not in lower case",
            "line 4: Owner \(other): 'Owner.items' is written on its inverse, as a value of 'Item.owner'",
            "line 5: \(place)'Item.code' is of type UUID, which \"none\" does not fit",
        ] { #expect(refused.output.contains(finding), "\(finding) in \(refused.output)") }
        let json = try await run("verify", "--strict", owners, "--json", bad)
        #expect(json.output.contains(#""misfits":6"#), "\(json.output)")
        #expect(try await run("verify", "--strict", good).ending == .exited(64))
        try folder.write(try text(id, other, [lines[1]]), to: "one.tlog")
        let one = try await run("verify", owners, folder.path("one.tlog"))
        #expect(one.ending == .exited(65))
        #expect(one.output.contains("one.tlog: well formed, but not valid for this model: 1 fault, not in a writer's"))
        #expect(!one.output.contains(": valid"))
    }
}
