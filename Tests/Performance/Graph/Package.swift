// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that it sees of the library what a program sees that links it.
let package = Package(
    name: "graph-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tributary", path: "../../..")],
    targets: [
        .systemLibrary(name: "PlainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "graph-benchmark",
            dependencies: ["PlainSQLite", .product(name: "Tributary", package: "tributary")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ]
        ),
    ]
)
