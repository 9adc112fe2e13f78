import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The stories of wrong clocks: the commands are those of the article.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct ClockStoryTests {
    private static let lead = Duration.seconds(2 * 86_400)
    private let page: StoryPage

    init() throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        page = try StoryPage.stories()
    }

    /// Two machines that run, of which the first one's clock can be set.
    private func machines() async throws -> [StoryMachine] {
        let machines = [try StoryMachine("shop"), try StoryMachine("office")]
        machines[0].clock = try await ClockControl(in: machines[0].daemon.folder)
        for machine in machines { try await machine.start() }
        return machines
    }

    /// The machine starts with a wrong clock, without a network: its share is not mounted.
    @Test func theOwnClockWasAhead() async throws {
        let machines = try await machines()
        let (shop, office) = (machines[0], machines[1])
        try await shop.save(1)
        try await StoryMachine.expectEqualDigests(machines)
        await shop.stop()
        let away = shop.path("/away")
        try FileManager.default.moveItem(atPath: shop.path(shop.logs), toPath: away)
        try FileManager.default.createDirectory(atPath: shop.path(shop.logs), withIntermediateDirectories: false)
        shop.clock?.set(ahead: Self.lead)
        try await shop.start()
        try await shop.save(2)
        #expect(try await shop.problems() == ["logs-missing"])

        shop.clock?.set(ahead: .zero)
        try FileManager.default.removeItem(atPath: shop.path(shop.logs))
        try FileManager.default.moveItem(atPath: away, toPath: shop.path(shop.logs))
        try await shop.save(3)
        try await shop.sync()
        try await shop.expectStatus(page, "clock")
        #expect(try await shop.problems() == ["own-clock-ahead"])
        try await shop.run(page, "clock")
        try await shop.save(4)
        try await StoryMachine.expectEqualDigests(machines)
        #expect(try await office.daemon.count("Employee") == 4)
    }

    /// An export with the wrong clock cannot be undone: the other machine holds or accepts it.
    @Test func theClockOfAnotherMachineWasAhead() async throws {
        let machines = try await machines()
        let (shop, office) = (machines[0], machines[1])
        // Each has acknowledged something of the other one.
        try await shop.save(5)
        try await StoryMachine.expectEqualDigests(machines)
        try await office.save(4)
        try await StoryMachine.expectEqualDigests(machines)
        // Nothing is left that the shop would acknowledge when its clock jumps.
        try await shop.save(6)
        try await StoryMachine.expectEqualDigests(machines)
        shop.clock?.set(ahead: Self.lead)
        try await shop.save(1)
        try await shop.sync()
        try StoryMachine.replicate(machines)
        try await office.sync()
        let former = try await shop.writer()
        let segment = try #require(shop.files().first { $0.hasPrefix(former) && $0.hasSuffix(".tlog") })
        let values = ["FORMER": former, "SEGMENT": segment]
        try await office.expectStatus(page, "held", with: values)
        // The clock is set back: the machine says at once that others may hold what it has published.
        shop.clock?.set(ahead: .zero)
        try await shop.expectStatus(page, "lead", with: values)

        let output = try await office.run(page, "held", with: values)
        #expect(output.contains("now applied") && output.contains("win over"), "\(output)")
        #expect(try await office.digest() == shop.digest())

        // A save of something else has the right clock, although the store has taken what is ahead.
        try await office.save(2)
        try await office.run(page, "accepted")
        // The machine that was ahead has exported with that clock; what it saves now has a right one.
        try await shop.save(3)
        try await StoryMachine.expectEqualDigests(machines)
        #expect(try await shop.writer() != former)
        for machine in machines { #expect(try await machine.problems() == []) }

        // A save that overwrites the accepted values has a greater clock, and goes through.
        for (name, machine) in zip(["Bea", "Cleo"], machines) {
            try await machine.rename(1, to: name)
            try await StoryMachine.expectEqualDigests(machines)
        }
        for machine in machines {
            #expect(try await machine.problems() == [])
            await machine.stop()
        }
    }
}
