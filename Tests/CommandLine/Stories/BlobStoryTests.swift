import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The story of a large value that a baseline names and that a new machine lacks.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct BlobStoryTests {
    private let page: StoryPage

    init() throws { page = try StoryPage("NewMachine") }

    private func machine(_ name: String) throws -> StoryMachine {
        let machine = try StoryMachine(name, settings: "retention: {keep_segments: 1ms}")
        try machine.daemon.folder.write(
            EmployeeModel.text(adding: "photo: {type: Binary, optional: true, external: true}"),
            to: "model.yaml"
        )
        return machine
    }

    @Test func aNewMachineWaitsForALargeValue() async throws {
        let (shop, office) = (try machine("shop"), try machine("office"))
        for machine in [shop, office] { try await machine.start() }
        let photo = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }).base64EncodedString()
        try await shop.daemon.save(#"{"insert":"Employee","values":{"name":"Ann","photo":"\#(photo)"}}"#)
        try await shop.sync()
        let segment = try #require(shop.files().first { $0.hasSuffix(".tlog") })
        // A writer that has never acknowledged anything is not waited for.
        for first in [1, 3] as [UInt8] {
            for (number, machine) in zip(first..., [shop, office]) { try await machine.save(number) }
            try await StoryMachine.expectEqualDigests([shop, office])
        }
        var number: UInt8 = 5
        try await StoryMachine.until("one machine has endorsed the baseline of the other", [shop, office]) {
            for machine in [shop, office] {
                try await machine.save(number)
                number += 1
            }
            for _ in 0..<2 {
                for machine in [shop, office] { try await machine.sync() }
                try StoryMachine.replicate([shop, office])
            }
            for machine in [shop, office, shop] { _ = try await machine.type("sudo tributaryctl compact") }
            try StoryMachine.replicate([shop, office])
            for machine in [shop, office] { try await machine.sync() }
            let output = try await shop.type("tributaryctl compact --dry-run").output
            return output.contains("bytes, verified")
        }

        // The replicator has brought the baselines, and neither the blobs nor what came later.
        let new = try machine("new")
        try StoryMachine.replicate([shop, office])
        let blobs = shop.files().filter { $0.contains("/blobs/") }
        for file in shop.files() where !file.hasSuffix(".tlog") && !blobs.contains(file) {
            try shop.carry(file, to: new)
        }
        let blob = try #require(blobs.first?.split(separator: "/").last.map(String.init))
        try await new.start()
        try await new.sync()
        let values = ["WRITER": try await shop.writer(), "SEGMENT": segment, "BLOB": blob]
        try await new.expectStatus(page, "blob", with: values)
        let output = try await new.run(page, "blob", with: values)
        #expect(StoryPage.matches(output, try page.lines("output: blob", with: values)), "\(output)")
        #expect(try await new.daemon.count("Employee") == 0)

        for file in blobs { try shop.carry(file, to: new) }
        try await new.run(page, "join")
        #expect(new.daemon.journal.contains("joined a baseline"), "\(new.daemon.log)")
        try await StoryMachine.expectEqualDigests([shop, office, new])
    }
}
