import Foundation

/// Each block of commands in the README and the articles has a name, and CommandBlocks.md lists the script or test that types it.
struct CommandBlockRule: HouseRule {
    private static let list = "Sources/Tributary/Tributary.docc/CommandBlocks.md"
    /// What types blocks as they are printed; a test with daemons of its own replaces paths.
    private static let machines = [
        ".ci/run", ".ci/try-installation", ".ci/try-replicators", "Tests/Fleet/walk", "Tests/SystemdTests/",
    ]

    private struct Block {
        /// The name of the article, and that of the block, such as `command: install`.
        let key: [String]
        let file: SourceFile
        let line: Int
        let text: [String]
    }

    func violations(in tree: SourceTree) -> [Violation] {
        var found: [Violation] = []
        var blocks: [[String]: Block] = [:]
        for file in tree.files where file.path == "README.md" || file.path.has(".docc/") && file.path.hasSuffix(".md") {
            for block in self.blocks(of: file, &found) where blocks.updateValue(block, forKey: block.key) != nil {
                found.append(Violation(path: file.path, line: block.line, reason: "has '\(block.key[1])' twice"))
            }
        }
        var listed: Set<[String]> = []
        for (index, line) in (tree.file(Self.list)?.lines ?? []).enumerated() where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let name = cells[1].code.first else { continue }
            func add(_ reason: String) { found.append(Violation(path: Self.list, line: index + 1, reason: reason)) }
            let key = [cells[0], name]
            if !listed.insert(key).inserted { add("lists \(key) twice") }
            guard let block = blocks[key] else {
                add("lists '\(name)' of \(cells[0]), which is not there")
                continue
            }
            fault(of: block, typedBy: cells[2], blocks, tree).map(add)
        }
        for block in blocks.values where !listed.contains(block.key) {
            let reason = "has '\(block.key[1])', which CommandBlocks.md does not list"
            found.append(Violation(path: block.file.path, line: block.line, reason: reason))
        }
        return found.sorted { ($0.path, $0.line ?? 0) < ($1.path, $1.line ?? 0) }
    }

    private func blocks(of file: SourceFile, _ found: inout [Violation]) -> [Block] {
        var blocks: [Block] = []
        var begin: Int?
        for (index, line) in file.lines.enumerated() where line.hasPrefix("```") {
            guard let start = begin else {
                begin = index
                continue
            }
            begin = nil
            let (language, text) = (file.lines[start].dropFirst(3), Array(file.lines[(start + 1)..<index]))
            func add(_ reason: String) { found.append(Violation(path: file.path, line: start + 1, reason: reason)) }
            guard language == "sh" else {
                let isOther = !["", "text", "bash", "console", "shell"].contains(language)
                if !isOther, !["", "text"].contains(language) || text.contains(where: Self.isCommand) {
                    add("has commands in another language than sh")
                }
                continue
            }
            if text.contains(where: { $0.hasPrefix("$ ") }) { add("has commands behind a prompt") }
            let above = start > 0 ? file.lines[start - 1] : ""
            guard let marker = above.wholeMatch(of: /<!-- ((?:command|test): [a-z]+(?: [a-z]+)*) -->/)?.1 else {
                add("has commands without a name: <!-- command: NAME --> in the line above")
                continue
            }
            let article = String(file.name.dropLast(3))
            blocks.append(Block(key: [article, String(marker)], file: file, line: start + 1, text: text))
        }
        return blocks
    }

    private static func isCommand(_ line: String) -> Bool {
        let words = [
            "$", "apt-get", "curl", "git", "journalctl", "sudo", "swift", "systemctl", "tributaryctl", "tributaryd",
        ]
        return words.contains { line.hasPrefix($0 + " ") }
    }

    /// Returns why the last cell of a row is wrong.
    private func fault(
        of block: Block,
        typedBy cell: String,
        _ blocks: [[String]: Block],
        _ tree: SourceTree
    ) -> String? {
        let name = block.key[1]
        if cell == "as in README" {
            return blocks[["README", name]]?.text == block.text ? nil : "'\(name)' differs from the block of README.md"
        }
        if let reason = cell.wholeMatch(of: /(?:never|not yet): (.+)/)?.1 {
            return reason.split(separator: " ").count > 2 ? nil : "has no reason why '\(name)' is not typed"
        }
        let paths = cell.code
        if paths.isEmpty { return "names nothing that types '\(name)'" }
        for path in paths {
            guard let file = tree.file(path) else { return "names \(path), which is not there" }
            if !types(block, file) { return "names \(path), which does not type '\(name)' of \(block.key[0])" }
        }
        let isPrinted = paths.contains { path in Self.machines.contains { path.hasPrefix($0) } }
        return isPrinted || cell.hasSuffix(", with daemons of the test") ? nil : "'\(name)' is typed in no machine"
    }

    /// Whether a script or a test has the article's name, and that of the block in one of the forms of their calls.
    private func types(_ block: Block, _ file: SourceFile) -> Bool {
        let (article, marker) = (block.key[0], block.key[1])
        let word = String(marker.drop { $0 != " " }.dropFirst())
        let namesArticle =
            ["README", "Stories"].contains(article) || file.text.has("\(article).md") || file.text.has("\"\(article)\"")
        let quoted = ["\"\(word)\"", "\"\(marker)\"", "'\(marker)'"]
        let calls = ["run", "step", "run_readme_command"].flatMap { ["\($0) \(word)", "\($0) '\(word)'"] }
        return namesArticle
            && (quoted.contains(where: file.text.has)
                || file.lines.contains { line in
                    let words = " " + line.trimmingCharacters(in: .whitespaces) + " "
                    return calls.contains { words.has(" \($0) ") }
                })
    }
}
