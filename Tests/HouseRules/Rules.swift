protocol HouseRule: Sendable {
    func violations(in tree: SourceTree) -> [Violation]
}

/// No client of the library links or fetches a server, and the command links no store.
struct ManifestRule: HouseRule {
    /// The modules and products of servers.
    private static let servers: Set<String> = [
        "Hummingbird", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1", "ServiceLifecycle", "TributaryAdmin",
        "TributaryClient",
        "TributarySync", "TributaryDaemon", "CSystemd",
    ]

    func violations(in tree: SourceTree) -> [Violation] {
        guard let text = tree.file("Package.swift")?.text else {
            return [Violation(path: "Package.swift", reason: "is missing")]
        }
        let manifest = PackageManifest(text)
        var found: [Violation] = []
        func add(_ reason: String) { found.append(Violation(path: "Package.swift", reason: reason)) }

        for library in ["Tributary", "TributaryModel", "TributaryChanges"] {
            for server in manifest.everythingLinked(by: library).intersection(Self.servers).sorted() {
                add("\(library) links \(server), a server")
            }
        }
        let forClients = manifest.everythingLinked(by: "Tributary")
        for target in manifest.targets {
            for product in target.productsForAll.subtracting(forClients).sorted() {
                add("\(target.name) has clients of the library fetch \(product): it needs 'condition: daemonOnly'")
            }
        }
        for heavy in manifest.everythingLinked(by: "tributaryctl")
            .intersection(["Hummingbird", "TributaryDaemon", "TributarySync", "TributaryStore", "GRDB"]).sorted()
        {
            add("tributaryctl links \(heavy), which only the daemon needs")
        }
        return found
    }
}

/// A file imports only what its target declares, and a target declares only what its files import.
struct ImportRule: HouseRule {
    /// Modules of the toolchain and the system.
    private static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationXML", "Glibc", "Synchronization", "Dispatch", "Observation",
        "Testing", "PackageDescription", "PackagePlugin", "RegexBuilder",
    ]

    func violations(in tree: SourceTree) -> [Violation] {
        guard let text = tree.file("Package.swift")?.text else { return [] }
        let manifest = PackageManifest(text)
        let nested = tree.files.filter { $0.name == "Package.swift" && $0.path != "Package.swift" }
            .map { $0.path.dropLast("Package.swift".count) }
        var found: [Violation] = []
        var imported: [String: Set<String>] = [:]

        for file in tree.swiftFiles where !file.isFixture && !nested.contains(where: { file.path.hasPrefix($0) }) {
            guard let target = manifest.target(ofFile: file.path) else {
                if file.path != "Package.swift" {
                    found.append(Violation(path: file.path, reason: "belongs to no target of Package.swift"))
                }
                continue
            }
            let allowed = target.targets.union(target.products).union(Self.system)
            for (index, line) in file.codeLines.enumerated() {
                guard let module = Self.module(importedBy: line) else { continue }
                imported[target.name, default: []].insert(module)
                if !allowed.contains(module) {
                    let reason = "imports \(module), which \(target.name) does not declare"
                    found.append(Violation(path: file.path, line: index + 1, reason: reason))
                }
            }
        }
        for target in manifest.targets {
            guard let used = imported[target.name] else { continue }
            // Executables are dependencies of tests so that they are built; nothing imports them.
            let unused = target.targets.union(target.products).subtracting(used).filter {
                $0.first?.isUppercase == true
            }
            for dependency in unused.sorted() {
                found.append(
                    Violation(
                        path: "Package.swift",
                        reason: "\(target.name) declares \(dependency) and never imports it"
                    )
                )
            }
        }
        return found
    }

    /// The module of an import declaration, for example `B` of `package import struct B.C`.
    private static func module(importedBy line: String) -> String? {
        guard line.has("import ") else { return nil }
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)/
        return (try? pattern.firstMatch(in: line)).map { String($0.output.1) }
    }
}

/// Tests wait for events, never for time to pass.
struct NoSleepRule: HouseRule {
    func violations(in tree: SourceTree) -> [Violation] {
        tree.swiftFiles.filter { $0.isTest && !$0.isFixture }.flatMap { file in
            // A function of the file's own with that name is no sleep.
            let hasOwn = file.codeLines.contains { $0.has("func sleep(") }
            return file.violations(in: file.codeLines) { line in
                guard line.has("sleep") else { return nil }
                let typed = /\b(Task|Thread|ContinuousClock\(\))\.sleep\b/
                let bare = /(?:^|[^.\w])(sleep|usleep|nanosleep)\s*\(/
                let isBare = !hasOwn && (try? bare.firstMatch(in: line)) != nil
                return isBare || (try? typed.firstMatch(in: line)) != nil ? "sleeps; wait for the event" : nil
            }
        }
    }
}

/// The top level has what the package needs there; a test or a program leaves nothing behind.
struct TopLevelRule: HouseRule {
    private static let names: Set<String> = ["Package.swift", "README.md", "Sources", "Tests", "systemd", "etc"]

    func violations(in tree: SourceTree) -> [Violation] {
        let found = Set(tree.files.map { String($0.path.prefix { $0 != "/" }) })
        return found.filter { !$0.hasPrefix(".") && !Self.names.contains($0) }.sorted()
            .map { Violation(path: $0, reason: "does not belong at the top level") }
    }
}

/// Nothing depends on where one developer's files happen to lie.
struct MachinePathRule: HouseRule {
    /// In two halves, so that this file does not break its own rule.
    static let places = [
        "/wo" + "rk/", "/tmp/" + "ws", "/tmp/" + "w/", "/tmp/" + "hub", "/ho" + "me/", "/Us" + "ers/",
        "/opt/" + "swift",
    ]

    func violations(in tree: SourceTree) -> [Violation] {
        tree.files.flatMap { file in
            file.violations(in: file.lines) { line in
                Self.places.first(where: line.has).map { "names \($0), a place on one machine" }
            }
        }
    }
}
