// swift-tools-version:6.2
import PackageDescription

// The products that only the daemon and its command need. A program that depends on the library switches the trait off
// with `traits: []`; then SwiftPM does not even fetch the packages of these products.
let daemonOnly: TargetDependencyCondition? = .when(traits: ["Daemon"])

let package = Package(
    name: "tributary",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Tributary", targets: ["Tributary"]),
        .executable(name: "tributaryd", targets: ["tributaryd"]),
        .executable(name: "tributaryctl", targets: ["tributaryctl"]),
        .plugin(name: "TributaryModels", targets: ["TributaryModels"]),
    ],
    traits: [
        .trait(
            name: "Daemon",
            description: "tributaryd and tributaryctl, with the servers and parsers that they need."
        ),
        .default(enabledTraits: ["Daemon"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams.git", exact: "6.2.2"),
    ],
    targets: [
        // C declarations that no Swift module offers.
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),

        // Values and rules.
        .target(name: "TributaryChanges", dependencies: ["COpenSSL"]),
        .target(
            name: "TributaryModel",
            dependencies: [
                "TributaryChanges",
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .target(
            name: "TransactionLog",
            dependencies: ["TributaryChanges", "CLinux"]
        ),

        // The store and the object graph.
        .target(
            name: "TributaryStore",
            dependencies: [
                "TributaryChanges", "TributaryModel", "CSQLite", "CLinux",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .target(
            name: "Tributary",
            dependencies: [
                "TributaryChanges", "TributaryModel", "TributaryStore",
                "CLinux",
            ]
        ),

        // Classes from a model: the generator, and the plugin with its program, which generates at each build.
        .target(name: "TributaryGeneration", dependencies: ["TributaryModel"]),
        .executableTarget(name: "tributary-models", dependencies: ["TributaryGeneration", "TributaryModel"]),
        .plugin(
            name: "TributaryModels",
            capability: .buildTool(),
            dependencies: ["tributary-models"],
            path: "Sources/TributaryModels"
        ),

        // The folder, the admin interface, the daemon.
        .target(name: "TributaryAdmin", dependencies: ["TributaryModel", "TributaryChanges"]),
        .target(
            name: "TributaryClient",
            dependencies: [
                "TributaryAdmin", "TributaryChanges",
                .product(name: "NIOCore", package: "swift-nio", condition: daemonOnly),
                .product(name: "NIOPosix", package: "swift-nio", condition: daemonOnly),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: daemonOnly),
            ]
        ),
        .target(
            name: "TributarySync",
            dependencies: [
                "TributaryAdmin", "TributaryStore", "TransactionLog", "TributaryChanges", "TributaryModel", "CLinux",
                .product(name: "Logging", package: "swift-log", condition: daemonOnly),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: daemonOnly),
            ]
        ),
        .target(
            name: "TributaryDaemon",
            dependencies: [
                "Tributary", "TributarySync", "TributaryClient", "TributaryAdmin", "TributaryStore",
                "TributaryModel", "TributaryChanges", "TransactionLog", "CSystemd", "CLinux",
                .product(name: "Hummingbird", package: "hummingbird", condition: daemonOnly),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: daemonOnly),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: daemonOnly),
                .product(name: "NIOCore", package: "swift-nio", condition: daemonOnly),
                .product(name: "NIOPosix", package: "swift-nio", condition: daemonOnly),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: daemonOnly),
                .product(name: "Logging", package: "swift-log", condition: daemonOnly),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: daemonOnly),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: daemonOnly),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [.embedInCode("Page/page.html"), .embedInCode("Routes/openapi.json")]
        ),
        .executableTarget(
            name: "tributaryd",
            dependencies: [
                "TributaryDaemon",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: daemonOnly),
            ]
        ),
        .executableTarget(
            name: "tributaryctl",
            dependencies: [
                "TributaryClient", "TributaryAdmin", "TransactionLog", "TributaryGeneration", "TributaryModel",
                "TributaryChanges",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: daemonOnly),
            ]
        ),

        // Tests mirror the modules.
        .target(name: "CDurableCalls", path: "Tests/Faults/DurableCalls"),
        .target(
            name: "TestSupport",
            dependencies: [
                "TributaryChanges", "TransactionLog", "CSQLite", "CDurableCalls",
            ],
            path: "Tests/TestSupport"
        ),
        .target(name: "TestTraits", dependencies: ["TestSupport"], path: "Tests/TestTraits"),
        .target(
            name: "StoreTestSupport",
            dependencies: [
                "TributaryStore", "TributaryModel", "TributaryChanges", "TestSupport",
            ],
            path: "Tests/StoreTestSupport"
        ),
        .testTarget(name: "TributaryChangesTests", dependencies: ["TributaryChanges", "TestSupport"]),
        .testTarget(name: "TributaryModelTests", dependencies: ["TributaryModel", "TributaryChanges", "TestSupport"]),
        .testTarget(
            name: "TransactionLogTests",
            dependencies: ["TransactionLog", "TributaryModel", "TributaryChanges", "TestSupport"],
            exclude: ["Vectors"]
        ),
        .testTarget(
            name: "TributaryStoreTests",
            dependencies: [
                "TributaryStore", "TributaryModel", "TributaryChanges", "CSQLite",
                "TestSupport", "StoreTestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "TributaryMigrationTests",
            dependencies: [
                "TributaryStore", "TransactionLog", "TributaryModel",
                "TributaryChanges", "TestSupport", "StoreTestSupport",
            ]
        ),
        .testTarget(
            name: "TributaryTests",
            dependencies: [
                "Tributary", "TributaryStore", "TributaryModel", "TributaryChanges",
                "TestSupport", "TestTraits",
            ],
            exclude: ["Misuse"]
        ),
        .testTarget(
            name: "TributaryGenerationTests",
            dependencies: [
                "TributaryGeneration", "Tributary", "TributaryModel", "TributaryChanges", "TestSupport",
            ]
        ),
        .testTarget(
            name: "TributaryModelsTests",
            dependencies: ["Tributary", "TributaryModel", "TestSupport"],
            plugins: ["TributaryModels"]
        ),
        .testTarget(
            name: "TributarySyncTests",
            dependencies: [
                "TributarySync", "TributaryAdmin", "TributaryStore", "TransactionLog",
                "TributaryModel", "TributaryChanges", "TestSupport", "TestTraits",
                .product(name: "Logging", package: "swift-log", condition: daemonOnly),
            ]
        ),
        .testTarget(name: "TributaryAdminTests", dependencies: ["TributaryAdmin"]),
        .testTarget(
            name: "TributaryClientTests",
            dependencies: ["TributaryClient", "TributaryAdmin", "TestSupport"]
        ),
        .testTarget(
            name: "TributaryDaemonTests",
            dependencies: [
                "TributaryDaemon", "TributaryAdmin", "TributarySync", "Tributary",
                "TributaryStore", "TributaryChanges", "TributaryModel", "TransactionLog",
                "TestSupport", "CSQLite",
                .product(name: "Logging", package: "swift-log", condition: daemonOnly),
            ]
        ),
        .target(
            name: "SimulationRunning",
            dependencies: ["TributaryStore"],
            path: "Tests/Simulation/Running"
        ),
        .target(
            name: "SimulationWorld",
            dependencies: [
                "SimulationRunning",
                "TributarySync", "TributaryStore", "TransactionLog", "TributaryAdmin",
                "TributaryModel",
                "TributaryChanges", "TestSupport",
            ],
            path: "Tests/Simulation/World"
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["SimulationRunning", "SimulationWorld"],
            path: "Tests/Simulation/Program"
        ),
        .testTarget(
            name: "Simulation",
            dependencies: [
                "simulate", "SimulationWorld", "TributarySync", "TributaryStore", "TransactionLog", "TributaryModel",
                "TributaryChanges", "TestSupport",
            ],
            exclude: ["Program", "Running", "Schedules", "World"]
        ),
        .target(
            name: "ContextWorld",
            dependencies: [
                "SimulationRunning", "Tributary", "TributaryStore", "TransactionLog", "TributaryModel",
                "TributaryChanges", "TestSupport",
            ],
            path: "Tests/ContextSimulation/World"
        ),
        .executableTarget(
            name: "simulate-contexts",
            dependencies: ["SimulationRunning", "ContextWorld"],
            path: "Tests/ContextSimulation/Program"
        ),
        .testTarget(
            name: "ContextSimulation",
            dependencies: ["simulate-contexts", "ContextWorld", "TestSupport"],
            exclude: ["Program", "Schedules", "World"]
        ),
        .testTarget(
            name: "CommandLine",
            dependencies: [
                "tributaryd", "tributaryctl", "TributaryClient", "TributaryAdmin", "TransactionLog", "TributaryChanges",
                "TestSupport", "TestTraits",
            ]
        ),
        .testTarget(
            name: "SystemdTests",
            dependencies: ["tributaryd", "tributaryctl", "TributaryChanges", "TestSupport"],
            exclude: ["boot-systemd", "machine.sh"]
        ),
        .testTarget(
            name: "ReadmeTests",
            dependencies: ["Tributary", "TransactionLog", "TestSupport"],
            plugins: ["TributaryModels"]
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: ["Tributary", "TestSupport"],
            exclude: ["drawings.yaml", "Fixtures"],
            plugins: ["TributaryModels"]
        ),
        .target(
            name: "BenchmarkImport",
            dependencies: [
                "TributaryDaemon", "TributarySync", "Tributary", "TributaryStore", "TributaryModel",
                .product(name: "Logging", package: "swift-log", condition: daemonOnly),
            ],
            path: "Tests/Performance/Importing"
        ),
        .executableTarget(
            name: "import-benchmark",
            dependencies: [
                "BenchmarkImport", "Tributary", "TributaryStore", "TributaryModel", "TributaryChanges", "CSQLite",
                "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Performance",
            exclude: ["Graph", "Growth", "Importing", "import.py", "peers", "chart"]
        ),
        .executableTarget(
            name: "growth",
            dependencies: [
                "BenchmarkImport", "TributarySync", "Tributary", "TributaryStore",
                "TransactionLog",
                "TributaryModel",
                "TributaryChanges", "TestSupport",
            ],
            path: "Tests/Performance/Growth"
        ),
        .executableTarget(
            name: "graph-benchmark",
            dependencies: ["Tributary", "CSQLite"],
            path: "Tests/Performance/Graph/Sources/graph-benchmark"
        ),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "TributaryDaemon", "TransactionLog", "TributaryModel", "TributaryChanges", "TestSupport",
            ],
            path: "Tests/Fuzzing/Targets"
        ),
        .testTarget(name: "FuzzingTests", dependencies: ["FuzzTargets", "TestSupport"], path: "Tests/Fuzzing/Tests"),
        .testTarget(name: "HouseRules", dependencies: ["TestSupport"]),
    ]
)

// The fuzzer exists with TRIBUTARY_FUZZING=1 only: Tests/Fuzzing/fuzz.sh builds it in a folder of its own.
let isFuzzing = Context.environment["TRIBUTARY_FUZZING"] == "1"
if isFuzzing {
    package.targets += [
        .target(name: "FuzzEntry", path: "Tests/Fuzzing/Entry"),
        .executableTarget(name: "fuzz", dependencies: ["FuzzTargets", "FuzzEntry"], path: "Tests/Fuzzing/Program"),
    ]
}

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}

// With TRIBUTARY_ONLY=NAMES, separated by commas, the package is these targets with all that they need, so that a
// sanitizer, the fuzzer or an optimized test builds nothing else.
if let names = isFuzzing ? "fuzz" : Context.environment["TRIBUTARY_ONLY"] {
    var needed = Set(names.split(separator: ",").map(String.init))
    // A target is declared below all that it depends on.
    for target in package.targets.reversed() where needed.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
        for case .plugin(let name, _) in target.plugins ?? [] { needed.insert(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll()
}

// The fuzzer learns from the branches that an input takes, and reports what the address sanitizer finds.
if isFuzzing {
    for target in package.targets where target.type != .system && target.type != .plugin {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])
            ]
        if target.type == .executable { target.linkerSettings = [.unsafeFlags(["-sanitize=fuzzer,address"])] }
    }
}
