import Foundation
import Glibc
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

@testable import TributaryDaemon

/// The place of the store that a service had last.
@Suite struct StoreRecordTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("record") }

    private var record: StoreRecord {
        StoreRecord(
            ConfigurationSources(
                environment: ["STATE_DIRECTORY": folder.path],
                hostName: "till",
                workingDirectory: "/"
            )
        )
    }

    private func refusal(_ configuration: Configuration) -> String? {
        let error = #expect(throws: StartFailure.self) { try record.demand(configuration) }
        return error?.reason
    }

    /// The command of an instance must not move the store of the service without a name.
    @Test func theCommandMovesTheStoreOfThisService() throws {
        let store = folder.path("new/store.sqlite")
        record.write("/srv/former/store.sqlite")
        var configuration = Configuration(name: "till", store: store, logs: folder.path("logs"))
        configuration.file = "/etc/tributary/shop.yaml"
        let command = "sudo tributaryctl store move --config /etc/tributary/shop.yaml \(store.folder)"
        #expect(refusal(configuration)?.contains(command) == true)
        #expect(refusal(configuration)?.contains("this service had '/srv/former/store.sqlite'") == true)
    }

    /// A disk that is mounted late brings the store; systemd repeats no start that ends with 78.
    @Test func aMissingStoreIsLookedForAgain() throws {
        let configuration = Configuration(name: "till", store: folder.path("a/store.sqlite"), logs: folder.path("logs"))
        record.write(configuration.store)
        let missing = #expect(throws: StartFailure.self) { try record.demand(configuration) }
        #expect(missing?.status == .inputOutput)
        record.write("/srv/former/store.sqlite")
        let misnamed = #expect(throws: StartFailure.self) { try record.demand(configuration) }
        #expect(misnamed?.status == .badConfiguration)
        record.write(configuration.store)
        try folder.write("", to: "a/store.sqlite")
        try record.demand(configuration)
    }

    /// Root may write the record in a folder of the service's user, who could have put a link or a pipe there.
    @Test(arguments: [true, false]) func whatIsNoFileIsReplaced(_ isLink: Bool) throws {
        try folder.write("kept", to: "other")
        let path = folder.path("last-store")
        #expect((isLink ? symlink(folder.path("other"), path) : mkfifo(path, 0o600)) == 0)
        record.write("/srv/store.sqlite")
        #expect(try String(contentsOfFile: folder.path("other"), encoding: .utf8) == "kept")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "/srv/store.sqlite\n")
    }
}
