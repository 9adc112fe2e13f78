/// The modules with what each depends on: Package.swift, the architecture article and the imports say the same.
enum ModuleGraph {
    static let arrows: [String: Set<String>] = [
        "tributaryd": ["TributaryDaemon"],
        "tributaryctl": [
            "TributaryAdmin", "TributaryGeneration", "TransactionLog", "TributaryModel",
            "TributaryChanges", "CLinux",
        ],
        "TributaryGeneration": ["TributaryModel"],
        "TributaryDaemon": [
            "TributarySync", "TributaryAdmin", "Tributary", "TributaryMigration", "TributaryStore",
            "TransactionLog", "TributaryModel", "TributaryChanges", "CSystemd", "CLinux",
        ],
        "TributarySync": [
            "TributaryAdmin", "TributaryStore", "TransactionLog", "TributaryModel", "TributaryChanges", "CLinux",
        ],
        "TributaryAdmin": ["TributaryModel", "TributaryChanges"],
        "Tributary": [
            "TributaryMigration", "TributaryStore", "TributaryModel", "TributaryChanges",
            "CLinux",
        ],
        "TributaryMigration": [
            "TributaryStore", "TributaryModel", "TributaryChanges", "CSQLite",
        ],
        "TributaryStore": ["TributaryModel", "TributaryChanges", "CSQLite", "CLinux"],
        "TransactionLog": ["TributaryChanges", "CLinux"],
        "TributaryModel": ["TributaryChanges"],
        "TributaryChanges": ["COpenSSL"],
        "CLinux": [], "COpenSSL": [], "CSQLite": [], "CSystemd": [],
    ]

    /// Modules of the toolchain and the system.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationXML", "Glibc", "Synchronization", "Dispatch", "Observation",
        "Testing", "PackageDescription", "RegexBuilder",
    ]

    /// The modules and products of servers: no client of the library may link them.
    static let servers: Set<String> = [
        "Hummingbird", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1", "ServiceLifecycle", "TributaryAdmin",
        "TributarySync", "TributaryDaemon", "CSystemd",
    ]

    static func below(_ module: String) -> Set<String> {
        var found: Set<String> = []
        var waiting = [module]
        while let next = waiting.popLast() {
            waiting += (arrows[next] ?? []).filter { found.insert($0).inserted }
        }
        return found
    }

    /// The first module that lies below itself.
    static func cycle(in arrows: [String: Set<String>]) -> String? {
        arrows.keys.sorted().first { start in
            var found: Set<String> = []
            var waiting = [start]
            while let next = waiting.popLast() {
                waiting += (arrows[next] ?? []).filter { found.insert($0).inserted }
            }
            return found.contains(start)
        }
    }
}
