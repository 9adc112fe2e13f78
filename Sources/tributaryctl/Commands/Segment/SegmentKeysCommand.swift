import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct SegmentKeysCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Show which keys encrypt the files of a log folder, without a daemon.",
        discussion: """
            A key that no file names can be removed from the file of encryption.key_file. With --encryption-keys each \
            key of that file is listed, in its order: the first key encrypts. The output has the IDs of the keys, not \
            the keys.
            """
    )

    @Argument(help: ArgumentHelp("The log folder.", valueName: "dir"), completion: .directory)
    var logs: String

    @OptionGroup var encryption: EncryptionOptions

    @OptionGroup var format: FormatOptions

    func run(on terminal: Terminal) throws {
        let keys = try encryption.keys()
        let counts = try LogFolder(path: logs).filesByKey()
        let known = keys.keys.map(\.id)
        let others = counts.keys.compactMap(\.self).filter { !known.contains($0) }.sorted()
        if json {
            let listed = (known + others).map { id in
                JSONValue.members([
                    "key": .string(id), "files": .integer(Int64(counts[id] ?? 0)),
                    "isKnown": .boolean(known.contains(id)), "encrypts": .boolean(id == known.first),
                ])
            }
            let plain = JSONValue.integer(Int64(counts[nil] ?? 0))
            return terminal.print(JSONValue.members(["keys": .array(listed), "plain": plain]).text)
        }
        var table = Table("KEY", "FILES", "USE")
        for id in known { table.add([id, "\(counts[id] ?? 0)", id == known.first ? "encrypts" : "decrypts"]) }
        for id in others { table.add([id, "\(counts[id] ?? 0)", known.isEmpty ? nil : "not in the file of keys"]) }
        table.add(["none", "\(counts[nil] ?? 0)", "not encrypted"])
        table.print(on: terminal)
    }
}
