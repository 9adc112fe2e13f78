import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges
import TributaryClient

/// A daemon with a store of an older model version.
@Suite(.daemonTurns) struct MigrationTests {
    /// The next version of the model, in which an attribute has another name.
    private static let withPay = EmployeeModel.text
        .replacing("version: \"1\"", with: "version: \"2\"")
        .replacing("salary: {type: Double,", with: "pay: {type: Double, renamed_from: salary,")

    @Test(.timeLimit(.minutes(30)))
    func theDaemonReportsAMigrationAndIsReadyAfterIt() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.save(#"{"insert":"Employee","values":{"name":"Ann","salary":10}}"#)
        #expect(await daemon.stop() == .exited(0))
        try daemon.folder.write(Self.withPay, to: "model.yaml")
        try await daemon.start(hearing: "STATUS=Migrating the store from model version '1' to '2'")
        let status = try await daemon.client.send(AdminCall(.get, "/v1/status"))
        #expect(status.text.contains(#""modelVersion":"2""#), "\(status.text)")
        #expect(try PlainSQL(path: daemon.store).value("SELECT pay FROM Employee") == "10.0")
    }

    @Test(.timeLimit(.minutes(30)))
    func aMigrationThatIsStoppedIsNoFailureAndStartsAgain() async throws {
        let daemon = try await RunningDaemon.started()
        let segment = EmployeeSegment(writer: UniqueID(UUID()), transactions: 20, changesEach: 1_000)
        try segment.publish(in: daemon.logs)
        try await daemon.success(of: ["sync"])
        #expect(await daemon.stop() == .exited(0))
        try daemon.folder.write(Self.withPay, to: "model.yaml")
        let told = "STATUS=Migrating the store from model version '1' to '2'"
        #expect(try await daemon.stop(afterHearing: told) == .exited(0), "\(daemon.log)")
        try await daemon.start()
        #expect(try PlainSQL(path: daemon.store).value("SELECT count(pay) FROM Employee") == "20000")
    }

    @Test(.timeLimit(.minutes(30)))
    func aModelThatCannotBeInferredIsABadConfiguration() async throws {
        let daemon = try await RunningDaemon.started()
        #expect(await daemon.stop() == .exited(0))
        let next = EmployeeModel.text
            .replacing("version: \"1\"", with: "version: \"2\"")
            .replacing("salary: {type: Double, optional: true, max: 100000}", with: "salary: {type: String}")
        try daemon.folder.write(next, to: "model.yaml")
        let process = try daemon.spawn()
        #expect(await process.ending() == .exited(78))
        #expect(daemon.journal.contains("Employee.salary, from Double to String"), "\(daemon.log)")

        // The next start hangs, as one that tries for long: a check must not take it for a daemon that works.
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let hanging = try HangingFolder(daemon.store)
        let second = try daemon.spawn()
        try await hanging.waitForVictim()
        let check = try await daemon.expect(75, of: ["status", "--check"])
        #expect(check.errors.contains("its last start failed") && check.errors.contains("Employee.salary"), "\(check)")
        withExtendedLifetime(hanging) { second.send(SIGKILL) }
    }

    /// A check during a start whose end is open, and after one that failed by its configuration alone.
    @Test(.timeLimit(.minutes(30))) func aCheckTakesNoStartForADaemonThatWorks() async throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let daemon = try await RunningDaemon.started()
        #expect(await daemon.stop() == .exited(0))
        func check() async throws -> String {
            let hanging = try HangingFolder(daemon.store)
            let process = try daemon.spawn()
            try await hanging.waitForVictim()
            let check = try await daemon.expect(75, of: ["status", "--check"])
            withExtendedLifetime(hanging) { process.send(SIGKILL) }
            _ = await process.ending()
            return check.errors
        }
        let first = try await check()
        #expect(first.contains("still starting") && !first.contains("its last start failed"), "\(first)")
        try daemon.folder.write("entities: {Employee: {attributs: {}}}", to: "model.yaml")
        #expect(await (try daemon.spawn()).ending() == .exited(78))
        try daemon.folder.write(EmployeeModel.text, to: "model.yaml")
        let second = try await check()
        #expect(second.contains("its last start failed") && second.contains("'attributs'"), "\(second)")
        try daemon.configure("colour: red")
        #expect(await (try daemon.spawn()).ending() == .exited(78))
        try daemon.configure()
        let third = try await check()
        #expect(third.contains("its last start failed") && third.contains("one.yaml:8: colour: column 1"), "\(third)")
    }
}
