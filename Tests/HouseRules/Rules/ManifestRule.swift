/// Package.swift declares exactly the dependencies of the module graph, and no client links or fetches a server.
struct ManifestRule: HouseRule {
    func violations(in tree: SourceTree) -> [Violation] {
        guard let text = tree.file("Package.swift")?.text else {
            return [Violation(path: "Package.swift", reason: "is missing")]
        }
        let manifest = PackageManifest(text)
        var found: [Violation] = []
        func add(_ reason: String) { found.append(Violation(path: "Package.swift", reason: reason)) }

        for target in manifest.targets where target.path.hasPrefix("Sources/") {
            guard let arrows = ModuleGraph.arrows[target.name] else {
                add("\(target.name) is not in the module graph")
                continue
            }
            for dependency in target.targets.subtracting(arrows).sorted() {
                add("\(target.name) may not depend on \(dependency)")
            }
            for dependency in arrows.subtracting(target.targets).sorted() {
                add("\(target.name) does not depend on \(dependency), as the module graph says")
            }
        }
        for library in ["Tributary", "TributaryModel", "TributaryChanges"] {
            for server in manifest.everythingLinked(by: library).intersection(ModuleGraph.servers).sorted() {
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
        if let module = ModuleGraph.cycle(
            in: Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0.targets) })
        ) {
            add("\(module) depends on itself")
        }
        return found
    }
}
