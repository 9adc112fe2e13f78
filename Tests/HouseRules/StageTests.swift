import Foundation
import TestSupport
import Testing

/// The stages of `.ci/run`, with commands in the place of builds.
@Suite struct StageTests {
    /// Runs `body` as `.ci/run` runs its stages; returns all output.
    private func run(_ body: String) async throws -> (ending: ChildProcess.Ending, output: String) {
        let folder = try TemporaryFolder("stages")
        let script = """
            set -Eeuo pipefail
            cd "$0"
            export TMPDIR="$1"
            as_root=()
            . .ci/stages
            trap finish EXIT
            quick() { echo "said by $1"; }
            broken() { echo "said by $1"; false; echo "said too much"; }
            # Neither ends by itself; a stage that waits for a file reads it until it is there.
            endless() { echo "said by $1"; tail -f /dev/null; }
            until_said() { until grep -qs said "$outputs/$1"; do :; done; }
            \(body)
            """
        let output = folder.path("output")
        let process = try ChildProcess(
            "/bin/bash",
            ["-c", script, PackageFolder.path(""), folder.path("")],
            output: output,
            errors: output
        )
        let ending = await process.ending()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        #expect(left == ["output"], "the outputs of stages are removed")
        return (ending, try String(contentsOfFile: output, encoding: .utf8))
    }

    @Test func allStagesPass() async throws {
        let (ending, output) = try await run(
            "beside one quick 1; stage 'the second' quick 2; wait_for_stages; stage three quick 3"
        )
        #expect(ending == .exited(0), "\(output)")
        for text in ["== 2. the second: passed in", "said by 1\n== 1. one: passed in", "== 3. three: passed in"] {
            #expect(output.contains(text), "\(output)")
        }
    }

    @Test func aFailureBesideOthersPrintsAllOfThem() async throws {
        let (ending, output) = try await run(
            "beside one quick 1; beside 'the second' broken 2; beside three quick 3; wait_for_stages; stage four quick 4"
        )
        #expect(ending == .exited(1), "\(output)")
        for text in [
            "said by 1\n== 1. one: passed in", "said by 2\n== 2. the second: failed with status 1\n",
            "said by 3\n== 3. three: passed in", "\n== FAILED in stage \"the second\" (status 1",
        ] { #expect(output.contains(text), "\(output)") }
        #expect(!output.contains("said by 4") && !output.contains("too much"), "\(output)")
    }

    @Test func aFailureInFrontPrintsWhatRunsBesideIt() async throws {
        let (ending, output) = try await run(
            """
            front() {
                until_said 1
                wait "$failing" || :
                until [ -s "$outputs/3.end" ]; do :; done
                return 7
            }
            beside one endless 1
            beside two broken 2
            failing=$!
            beside three quick 3
            stage front front
            """
        )
        #expect(ending == .exited(7), "\(output)")
        for text in [
            "said by 1\n== 1. one: interrupted, because stage \"front\" has failed\n",
            "said by 2\n== 2. two: failed with status 1\n", "said by 3\n== 3. three: passed in",
        ] { #expect(output.contains(text), "\(output)") }
        #expect(
            output.split(separator: "\n").last?.hasPrefix("== FAILED in stage \"front\" (status 7") == true,
            "\(output)"
        )
    }

    @Test func proofsTakeTurnsAndALateRunLeavesThemOut() async throws {
        let (ending, output) = try await run(
            """
            first() { quick 1; }
            second() { quick 2; }
            late() { quick 3; SECONDS=3000; }
            prove_by_turns 20 one first two second three first
            prove_by_turns 5 four first five late
            TRIBUTARY_PROOFS_UNTIL=4000 prove_by_turns 1 six second
            """
        )
        #expect(ending == .exited(0), "\(output)")
        let said = output.split(separator: "\n").filter { $0.hasPrefix("said") || $0.contains(": left out") }
        #expect(
            said == [
                "said by 1", "said by 1", "said by 2", "said by 3", "== 5. four: left out, because 3000 s have passed",
                "said by 2",
            ],
            "\(output)"
        )
    }

    @Test func theSeedIsTheDayOfTheNewestCommit() async throws {
        let (ending, output) = try await run(
            """
            git init -q "$TMPDIR/commits"
            seed() {
                GIT_COMMITTER_DATE=$1 GIT_AUTHOR_DATE=2001-01-01T00:00:00Z git -C "$TMPDIR/commits" -c user.name=a -c user.email=a@b \\
                    commit -q --allow-empty -m "$1"
                day_seed "$TMPDIR/commits"
            }
            seed 2026-11-28T00:00:00Z
            seed 2026-11-28T23:59:59Z
            seed 2026-11-28T23:59:59-01:00
            rm -r "$TMPDIR/commits"
            """
        )
        #expect(ending == .exited(0) && output == "20261128\n20261128\n20261129\n", "\(output)")
    }
}
