/// The failure of a schedule, with the smallest schedule that fails.
package struct ScheduleReport<Schedule: PlayableSchedule>: Sendable, CustomStringConvertible {
    package let seed: UInt64
    package let failure: String
    package let smallest: Schedule
    package let smallestFailure: String

    /// Plays a schedule; nil when it ends as it should.
    package init?(_ schedule: Schedule) async {
        guard let failure = await ScheduleReport.failure(of: schedule) else { return nil }
        seed = schedule.seed
        self.failure = failure
        let kind = ScheduleReport.kind(of: failure)
        smallest = await schedule.shrunk { candidate in
            await ScheduleReport.failure(of: candidate).map(ScheduleReport.kind) == kind
        }
        smallestFailure = await ScheduleReport.failure(of: smallest) ?? "it does not fail again"
    }

    /// The words of a failure without its numbers and paths: a smaller schedule must not fail for another reason.
    private static func kind(of failure: String) -> String {
        let first = failure.split(separator: "\n").first { !$0.hasPrefix("step ") && !$0.hasPrefix(" ") } ?? ""
        let words = first.split(separator: " ").filter { !$0.contains("/") }.joined(separator: " ")
        return String(words.filter { !$0.isNumber }.prefix(40))
    }

    package static func failure(of schedule: Schedule) async -> String? {
        do {
            try await schedule.play()
            return nil
        } catch {
            return "\(error)"
        }
    }

    package var description: String {
        """
        seed \(seed): \(failure)

        The smallest schedule that fails; as a file in the folder Schedules of its simulation it is played by every test run:
        \(smallest)
        \(smallestFailure)
        """
    }
}

package struct Divergence: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    package static func demandEqual(_ wanted: [String], _ found: [String], _ title: @autoclosure () -> String) throws {
        guard wanted != found else { return }
        let missing = wanted.filter { !found.contains($0) }.map { "- \($0)" }
        let extra = found.filter { !wanted.contains($0) }.map { "+ \($0)" }
        if missing.isEmpty, extra.isEmpty {
            let place = zip(wanted, found).enumerated().first { $0.element.0 != $0.element.1 }
            let lines = place.map {
                ["line \($0.offset + 1) in another order:", "- \($0.element.0)", "+ \($0.element.1)"]
            }
            throw Divergence(
                ([title()] + (lines ?? ["\(wanted.count) lines, \(found.count) lines"])).joined(separator: "\n")
            )
        }
        throw Divergence(([title()] + missing + extra).joined(separator: "\n"))
    }

    package static func demandEqual(_ wanted: String, _ found: String, _ title: @autoclosure () -> String) throws {
        guard wanted != found else { return }
        try demandEqual(
            wanted.split(separator: "\n").map(String.init),
            found.split(separator: "\n").map(String.init),
            title()
        )
    }
}
