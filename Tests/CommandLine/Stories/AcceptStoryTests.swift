import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The story of data that one machine alone has, because its segments were lost before another machine read them.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct AcceptStoryTests {
    private let page: StoryPage

    init() throws { page = try StoryPage("Compaction") }

    @Test func dataOfOneMachineReachTheOthers() async throws {
        let machines = try ["shop", "office", "till"].map { try StoryMachine($0) }
        let (shop, office) = (machines[0], machines[1])
        for machine in machines { try await machine.start() }
        for (number, machine) in zip(UInt8(1)..., machines) { try await machine.save(number) }
        try await StoryMachine.expectEqualDigests(machines)

        let before = shop.files()
        try await shop.save(7)
        try await shop.sync()
        let lost = shop.files().subtracting(before)
        #expect(!lost.isEmpty)
        for file in lost { try FileManager.default.removeItem(atPath: "\(shop.path(shop.logs))/\(file)") }
        #expect(try await shop.type("sudo tributaryctl compact").ending == .exited(0))
        let baseline = try #require(shop.files().first { $0.hasSuffix(".baseline") })
        try await StoryMachine.until("the baseline is offered", machines) {
            try StoryMachine.replicate(machines)
            try await office.sync()
            return try await office.type("tributaryctl status").output.contains("baseline accept \(baseline)")
        }
        let values = ["BASELINE": baseline]
        try await office.expectStatus(page, "accept", with: values)
        #expect(try await !office.type("tributaryctl status").output.contains("writer abandon"))
        let unknown = "\(try await shop.writer())/00000000000000ff.baseline"
        let other = try await office.type("sudo tributaryctl baseline accept \(unknown)")
        #expect(other.ending == .exited(66) && other.output.contains("no baseline"), "\(other)")
        let file = try await office.type("sudo tributaryctl baseline accept baseline")
        #expect(file.ending == .exited(64) && file.output.contains("WRITER/SEQUENCE.baseline"), "\(file)")

        try await office.run(page, "accept", with: values)
        #expect(office.daemon.journal.contains("baseline is accepted"), "\(office.daemon.log)")
        #expect(office.daemon.journal.contains("joined a baseline"), "\(office.daemon.log)")
        try await StoryMachine.expectEqualDigests(machines)
        for machine in machines { #expect(try await machine.daemon.count("Employee") == 4) }
        // On another machine there is nothing left to decide.
        let again = try await machines[2].type("sudo tributaryctl baseline accept \(baseline)")
        #expect(again.ending == .exited(0) && again.output.contains("endorsed it already"), "\(again)")
    }
}
