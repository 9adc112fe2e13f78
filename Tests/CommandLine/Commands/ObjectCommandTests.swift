import TestSupport
import Testing

/// What `tributaryctl object` understands, and what it suggests instead of what it does not.
@Suite(.daemonTurns) struct ObjectCommandTests {
    private static let (ann, bob) = ("0190f1a2-0000-7000-8000-00000000000a", "0190f1a2-0000-7000-8000-00000000000b")
    private static let lab = "7190f1a2-0000-7000-8000-00000000000c"

    private func run(_ daemon: RunningDaemon, _ arguments: String..., ends status: Int32 = 0) async throws -> String {
        let answer = try await daemon.expect(status, of: ["object"] + arguments)
        return answer.output + answer.errors
    }

    private func started() async throws -> RunningDaemon {
        let daemon = try await RunningDaemon.started()
        try await daemon.save(
            #"{"insert":"Employee","id":"\#(Self.ann)","values":{"name":"Ann"}}"#,
            #"{"insert":"Employee","id":"\#(Self.bob)","values":{"name":"Bob"}}"#,
            #"{"insert":"Department","id":"\#(Self.lab)","values":{"title":"Lab"}}"#
        )
        return daemon
    }

    @Test func aMistakeIsAnsweredWithWhatIsProbablyMeant() async throws {
        let daemon = try await started()
        let unquoted = try await run(daemon, "list", "Employee", "--where", "name = Ann", ends: 64)
        #expect(unquoted.contains("has no property 'Ann'; a text needs quotes: 'Ann'"), "\(unquoted)")
        let misspelt = try await run(daemon, "list", "Employee", "--where", "nam = 'Ann'", ends: 64)
        #expect(
            misspelt.contains("has no property 'nam'; is 'name' meant?") && !misspelt.contains("quotes"),
            "\(misspelt)"
        )
        for entity in ["employee", "Employe", "Employees"] {
            let list = try await run(daemon, "list", entity, ends: 66)
            #expect(list.contains("has no entity '\(entity)'; is 'Employee' meant?"), "\(list)")
            let insert = try await run(daemon, "insert", entity, "name=Cid", ends: 65)
            #expect(insert.contains("is 'Employee' meant?"), "\(insert)")
        }
        for verb in [["insert", "Employee"], ["update", "Employee", Self.ann]] {
            let property = try await daemon.expect(65, of: ["object"] + verb + ["nam=Cid"])
            #expect(property.errors.contains("has no property 'nam'; is 'name' meant?\n"), "\(property)")
        }
        let other = try await run(daemon, "list", "Boat", ends: 66)
        #expect(!other.contains("meant"), "\(other)")
    }

    @Test func aLongValueIsWholeAndMakesNoOtherRowLonger() async throws {
        let daemon = try await started()
        let long = String(repeating: "x", count: 5_000)
        _ = try await run(daemon, "insert", "Employee", "name=\(long)", "salary=7")
        let lines = try await run(daemon, "list", "Employee").split(separator: "\n")
        #expect(lines.count == 4 && lines.contains { $0.contains(long) }, "\(lines.map(\.count))")
        #expect(lines.count { $0.count < 400 } == 3, "\(lines.map(\.count))")
    }

    @Test func aNullTellsHowAValueIsCleared() async throws {
        let daemon = try await started()
        for argument in ["name=null", "salary=null", "department=null"] {
            let name = argument.prefix { $0 != "=" }
            let answer = try await run(daemon, "update", "Employee", Self.ann, argument, ends: 64)
            #expect(answer.contains("To clear the value: \(name):=null"), "\(answer)")
        }
        _ = try await run(daemon, "update", "Employee", Self.ann, "salary=7")
        #expect(try await run(daemon, "show", "Employee", Self.ann).contains(/salary +7/))
        _ = try await run(daemon, "update", "Employee", Self.ann, "salary:=null", #"name:="null""#)
        let shown = try await run(daemon, "show", "Employee", Self.ann)
        #expect(shown.contains("salary      -") && shown.contains("name        null"), "\(shown)")
    }

    @Test func theFirstCharactersOfAnIDSuffice() async throws {
        let daemon = try await started()
        let ambiguous = try await run(daemon, "show", "Employee", "0190f1a2-0000", ends: 64)
        #expect(ambiguous.contains("the IDs of several objects begin with '0190f1a2-0000'"), "\(ambiguous)")
        let short = try await run(daemon, "show", "Department", "7190f1a", ends: 64)
        #expect(short.contains("first 8 characters"), "\(short)")
        #expect(try await run(daemon, "show", "Department", "7190f1a2").contains("Lab"))
        _ = try await run(daemon, "show", "Employee", "7190f1a2", ends: 66)
        let (ann, lab) = (Self.ann, "7190F1A2-0000")
        _ = try await run(daemon, "update", "Department", lab, "title=Laboratory", "--link", "employees=\(ann)")
        _ = try await run(daemon, "unlink", "Department", lab, "employees", Self.ann)
        _ = try await run(daemon, "update", "Employee", Self.bob, "department=\(Self.lab)")
        #expect(try await run(daemon, "show", "Department", lab).contains("Laboratory"))
        _ = try await run(daemon, "rm", "Employee", Self.bob)
        #expect(try await run(daemon, "show", "Employee", "0190f1a2").contains("Ann"))
        _ = try await run(daemon, "link", "Department", lab, "employees", "0190f1a2")
        #expect(try await run(daemon, "show", "Department", lab).contains(Self.ann))
        _ = try await run(daemon, "rm", "Department", lab)
    }

    @Test func anObjectIsShownWithItsToManyRelationships() async throws {
        let daemon = try await started()
        #expect(try await run(daemon, "show", "Department", Self.lab).contains("employees  none"))
        _ = try await run(daemon, "link", "Department", Self.lab, "employees", Self.ann, Self.bob)
        let shown = try await run(daemon, "show", "Department", Self.lab)
        #expect(shown.contains("employees  \(Self.ann) \(Self.bob)"), "\(shown)")
        #expect(try await !run(daemon, "show", "Department", Self.lab, "--json").contains("employees"))
    }

    @Test func anEmptyListSaysSo() async throws {
        let daemon = try await RunningDaemon.started()
        #expect(try await run(daemon, "list", "Employee") == "no Employee\n")
        #expect(try await run(daemon, "list", "Employee", "--where", "name = 'Zoe'") == "no Employee fits\n")
        for (arguments, text) in [
            (["conflict", "list"], "no conflicts\n"), (["history"], "no transactions\n"),
            (["segment", "list"], "no segments that are not simply applied\n"),
            (["segment", "list", "--state", "held"], "no segments that are held\n"),
        ] {
            let answer = try await daemon.success(of: arguments)
            #expect(answer.output.hasPrefix(text), "\(arguments): \(answer)")
        }
    }
}
