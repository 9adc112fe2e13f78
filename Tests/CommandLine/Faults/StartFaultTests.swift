import Foundation
import TestSupport
import Testing

/// What fails while a start reads its files, and may pass, keeps a service from no later start.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct StartFaultTests {
    /// The files that a start reads, or takes locks of.
    enum File: CaseIterable {
        case configuration, model, lock, encryptionKeys, key, trust, marker

        func path(_ daemon: RunningDaemon) -> String {
            switch self {
            case .configuration: daemon.configuration
            case .model: daemon.folder.path("model.yaml")
            case .lock: daemon.store + ".lock"
            case .encryptionKeys: daemon.folder.path("logs.keys")
            case .key: daemon.store + "-key"
            case .trust: daemon.store + "-trust"
            case .marker: daemon.store + ".restored"
            }
        }
    }

    @Test(arguments: File.allCases) func aFailureThatMayPassIsNotFinal(_ file: File) async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        let keys = daemon.folder.path("logs.keys")
        try daemon.folder.write(String(repeating: "01", count: 32) + "\n", to: "logs.keys")
        #expect(chmod(keys, 0o600) == 0)
        try daemon.configure("encryption: {key_file: \(keys)}")
        try await daemon.start()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let faults = try await FaultControl(in: daemon.folder)
        let environment = faults.environment.map { "\($0)=\($1)" }
        func status(_ code: Int32) async throws -> ChildProcess.Ending {
            faults.begin(.failing(.open, file.path(daemon), code))
            let process = try daemon.spawn(
                "/usr/bin/env",
                environment + [BuildFolder.executable("tributaryd"), "--config", daemon.configuration]
            )
            let ending = await process.ending()
            #expect(faults.hits() > 0, "\(daemon.log)")
            return ending
        }
        for code in [EIO, ENOSPC, ESTALE] {
            let ending = try await status(code)
            #expect(ending == .exited(74), "\(code): \(daemon.log)")
        }
        for code in [EMFILE, ENFILE, ENOMEM] {
            let ending = try await status(code)
            #expect(ending == .exited(75), "\(code): \(daemon.log)")
        }
        let ending = try await status(EACCES)
        #expect(ending == .exited(78), "\(daemon.log)")
        faults.end()
        try await daemon.start()
    }

    /// A file of the model that the disk does not show is no missing file.
    @Test(arguments: ["Shop.xcdatamodel/contents", ".xccurrentversion"])
    func aFolderOfTheModelThatCannotBeReadIsNotFinal(_ file: String) async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        let model = """
            <model documentVersion="1.0"><entity name="Product"><attribute name="name" optional="YES" \
            attributeType="String"/></entity></model>
            """
        for version in ["Shop", "Old"] {
            try daemon.folder.write(model, to: "Shop.xcdatamodeld/\(version).xcdatamodel/contents")
        }
        let pointer = "<key>_XCCurrentVersionName</key><string>Shop.xcdatamodel</string>"
        try daemon.folder.write(
            "<plist version=\"1.0\"><dict>\(pointer)</dict></plist>",
            to: "Shop.xcdatamodeld/.xccurrentversion"
        )
        try daemon.reconfigure("model.yaml", to: "Shop.xcdatamodeld")
        try await daemon.start()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let faults = try await FaultControl(in: daemon.folder)
        faults.begin(.failing(.look, daemon.folder.path("Shop.xcdatamodeld/\(file)"), EIO))
        let process = try daemon.spawn(
            "/usr/bin/env",
            faults.environment.map { "\($0)=\($1)" }
                + [BuildFolder.executable("tributaryd"), "--config", daemon.configuration]
        )
        #expect(await process.ending() == .exited(74), "\(daemon.log)")
        #expect(faults.hits() > 0)
    }

    /// Reads fail after the file was opened.
    @Test(arguments: [File.configuration, .model, .encryptionKeys, .key]) func aFailedReadIsNotFinal(_ file: File)
        async throws
    {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        let keys = daemon.folder.path("logs.keys")
        try daemon.folder.write(String(repeating: "01", count: 32) + "\n", to: "logs.keys")
        #expect(chmod(keys, 0o600) == 0)
        try daemon.configure("encryption: {key_file: \(keys)}")
        try await daemon.start()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let faults = try await FaultControl(in: daemon.folder)
        faults.begin(.failing(.read, file.path(daemon), EIO))
        let process = try daemon.spawn(
            "/usr/bin/env",
            faults.environment.map { "\($0)=\($1)" }
                + [BuildFolder.executable("tributaryd"), "--config", daemon.configuration]
        )
        #expect(await process.ending() == .exited(74), "\(daemon.log)")
        #expect(faults.hits() > 0)
    }
}
