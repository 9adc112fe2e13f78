import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A model file that changes while the daemon runs, and between two starts.
@Suite(.daemonTurns) struct ModelChangeTests {
    private static let withoutSalary = EmployeeModel.text
        .replacing("      salary: {type: Double, optional: true, max: 100000}\n", with: "")

    @Test(.timeLimit(.minutes(30)))
    func aChangedModelFileIsReportedByStatusAndReload() async throws {
        let daemon = try await RunningDaemon.started()
        var status = try await daemon.client.send(AdminCall(.get, "/v1/status"))
        #expect(status.text.contains(#""restartNeeded":false"#), "\(status.text)")
        try daemon.folder.write(EmployeeModel.text.replacing("max: 100000", with: "max: 200000"), to: "model.yaml")
        status = try await daemon.client.send(AdminCall(.get, "/v1/status"))
        #expect(status.text.contains(#""restartNeeded":true"#) && status.text.contains("has changed since the start"))
        try await daemon.success(of: ["reload"], output: "needs a restart: model")
        try daemon.folder.write(EmployeeModel.text, to: "model.yaml")
        status = try await daemon.client.send(AdminCall(.get, "/v1/status"))
        #expect(status.text.contains(#""restartNeeded":false"#), "\(status.text)")
    }

    @Test(.timeLimit(.minutes(30)))
    func valuesAreDroppedOnlyWhenThatIsAllowed() async throws {
        for isAllowed in [true, false] {
            let daemon = try await RunningDaemon.started()
            try await daemon.save(#"{"insert":"Employee","values":{"name":"Ann","salary":10}}"#)
            #expect(await daemon.stop() == .exited(0))
            try daemon.folder.write(Self.withoutSalary, to: "model.yaml")
            let refused = try daemon.spawn()
            #expect(await refused.ending() == .exited(78))
            #expect(
                daemon.journal.contains("Employee.salary: 1 value") && daemon.journal.contains("allow_loss"),
                "\(daemon.log)"
            )
            #expect(try PlainSQL(path: daemon.store).value("SELECT salary FROM Employee") == "10.0")
            // The check says so without a start.
            let check = ["--check-config", "--config", daemon.configuration]
            let told = try await daemon.expect(78, of: check, from: "tributaryd", errors: "Employee.salary: 1 value")
            #expect(told.errors.contains("allow_loss"), "\(told)")
            let diff = ["model", "diff", "--store", "--config", daemon.configuration]
            let same = try await daemon.command(diff)
            #expect(same.ending == told.ending && same.errors == told.errors, "\(same)")
            try daemon.folder.write(EmployeeModel.text, to: "former.yaml")
            try await daemon.success(of: diff + [daemon.folder.path("former.yaml")], output: "is at this version")
            if isAllowed {
                try daemon.configure("migration: {allow_loss: true}")
            } else {
                let next = Self.withoutSalary.replacing("version: \"1\"", with: "version: \"2\"")
                try daemon.folder.write(next, to: "model.yaml")
            }
            try await daemon.expect(0, of: check, from: "tributaryd", output: "lost:\n  Employee.salary: 1 value")
            #expect(try PlainSQL(path: daemon.store).value("SELECT salary FROM Employee") == "10.0")
            try await daemon.start()
            #expect(daemon.journal.contains("The migration drops values"), "\(daemon.log)")
            #expect(daemon.journal.contains("The migration has dropped values"), "\(daemon.log)")
            #expect(await daemon.stop() == .exited(0))
        }
    }

    /// The start would fail after the migration, and the former model would be refused then.
    @Test(.timeLimit(.minutes(30)))
    func aDerivationThatCannotBeComputedIsRefusedBeforeTheMigration() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.save(#"{"insert":"Employee","values":{"name":"Ann","salary":10}}"#)
        #expect(await daemon.stop() == .exited(0))
        let broken = Self.withoutSalary.replacing("version: \"1\"", with: "version: \"2\"").replacing(
            "      name: {type: String}\n",
            with: "      name: {type: String}\n      loud: {type: String, optional: true, derived: 'uppercase:(nme)'}\n"
        )
        try daemon.folder.write(EmployeeModel.text, to: "former.yaml")
        try daemon.folder.write(broken, to: "model.yaml")
        let told = try await daemon.command(["--check-config", "--config", daemon.configuration], of: "tributaryd")
        #expect(told.ending == .exited(78), "\(told)")
        #expect(told.errors.contains("Employee.loud") && told.errors.contains("no attribute 'nme'"), "\(told)")
        let models = [daemon.folder.path("former.yaml"), daemon.folder.path("model.yaml")]
        try await daemon.expect(65, of: ["model", "diff"] + models, output: "! Employee.loud")
        try await daemon.expect(65, of: ["model", "diff", "--json"] + models, output: "uppercase:(nme)")
        #expect(await (try daemon.spawn()).ending() == .exited(78))
        try daemon.folder.write(EmployeeModel.text, to: "model.yaml")
        try await daemon.start()
        #expect(try PlainSQL(path: daemon.store).value("SELECT salary FROM Employee") == "10.0")
        #expect(await daemon.stop() == .exited(0))
    }

    /// The way from the store's version to the current one leads through it.
    @Test(.timeLimit(.minutes(30)))
    func aFormerVersionThatCannotBeReadIsTold() async throws {
        let daemon = try RunningDaemon()
        try daemon.reconfigure("model.yaml", to: "Shop.xcdatamodeld")
        func write(_ version: Int, _ text: String) throws {
            try daemon.folder.write(text, to: "Shop.xcdatamodeld/\(version).xcdatamodel/contents")
            let pointer = "<key>_XCCurrentVersionName</key><string>\(version).xcdatamodel</string>"
            try daemon.folder.write(
                "<plist version=\"1.0\"><dict>\(pointer)</dict></plist>",
                to: "Shop.xcdatamodeld/.xccurrentversion"
            )
        }
        func item(_ attribute: String) -> String {
            "<model><entity name=\"Item\"><attribute name=\"\(attribute)\" attributeType=\"String\" optional=\"YES\"/>"
                + "</entity></model>"
        }
        try write(1, item("label"))
        try await daemon.start()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try write(2, "<model>")
        try write(3, item("title"))
        try await daemon.start()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let file = daemon.folder.path("Shop.xcdatamodeld/2.xcdatamodel/contents")
        #expect(daemon.journal.contains("version '2' is left out: \(file)"), "\(daemon.log)")
    }

    @Test(.timeLimit(.minutes(30)))
    func anUnusedAttributeIsDroppedWithoutAsking() async throws {
        let daemon = try await RunningDaemon.started()
        #expect(await daemon.stop() == .exited(0))
        try daemon.folder.write(Self.withoutSalary, to: "model.yaml")
        try await daemon.start()
    }

    @Test func relationshipsThatCanBecomeCirclesAreReported() async throws {
        let daemon = try RunningDaemon()
        let model = daemon.folder.path("model.yaml")
        let folders = """
            version: "2"
            entities:
              Folder:
                relationships:
                  parent: {to: Folder, inverse: folders, optional: true}
                  folders: {to: Folder, many: true, inverse: parent}
            """
        try daemon.folder.write(folders, to: "folders.yaml")
        let notice = "notice: Folder.parent leads to Folder again"
        let diff = try await daemon.success(of: ["model", "diff", model, daemon.folder.path("folders.yaml")])
        #expect(diff.output.contains(notice), "\(diff.output)")
        #expect(try await !daemon.success(of: ["model", "diff", model, model]).output.contains("notice"))
        try daemon.folder.write(folders, to: "model.yaml")
        let check = try await daemon.command(["--check-config", "--config", daemon.configuration], of: "tributaryd")
        #expect(check.ending == .exited(0) && check.output.contains(notice), "\(check)")
    }

    @Test func twoModelsAreComparedWithoutADaemon() async throws {
        let daemon = try RunningDaemon()
        let older = daemon.folder.path("model.yaml")
        let newer = daemon.folder.path("next.yaml")
        let next = Self.withoutSalary.replacing(
            "name: {type: String}",
            with: "title: {type: String, renamed_from: name}"
        )
        try daemon.folder.write(next, to: "next.yaml")
        let diff = try await daemon.success(of: ["model", "diff", older, newer])
        #expect(diff.output.contains("- remove Employee.salary"), "\(diff.output)")
        #expect(diff.output.contains("  rename Employee.title (from 'name' to 'title')"), "\(diff.output)")
        let json = try await daemon.command(["model", "diff", "--json", older, newer])
        #expect(json.output.contains(#""dropsValues":true"#), "\(json.output)")
        try await daemon.success(
            of: ["model", "diff", older, older],
            output: "the stores of the two models do not differ"
        )
        try daemon.folder.write(
            next.replacing("count: {type: Integer 64", with: "count: {type: Boolean"),
            to: "next.yaml"
        )
        try await daemon.expect(65, of: ["model", "diff", older, newer], output: "! Employee.count")
        #expect(try await daemon.command(["model", "diff", older, "/nowhere.yaml"]).ending == .exited(66))
    }
}
