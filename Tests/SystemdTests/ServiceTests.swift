import Foundation
import TestSupport
import Testing
import TributaryChanges

/// The daemon under a real systemd.
@Suite(.enabled(if: SystemdMachine.isWanted, "set TRIBUTARY_SYSTEMD_TESTS=1, as root, to run it"))
struct ServiceTests {
    init() async throws {
        if let reason = try await SystemdMachine.reasonNotToBoot() { try Test.cancel("\(reason)") }
    }

    @Test func startReturnsWhenTheDaemonAnswers() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.service
            fact state "$(property ActiveState)/$(property SubState)"
            fact text "$(property StatusText)"
            fact status "$(tributaryctl --socket /run/tributary/admin.sock status --json | tr -d ' \\n')"
            fact watched "$(ls /proc/$(property MainPID)/fdinfo | while read fd; do
                grep -l inotify /proc/$(property MainPID)/fdinfo/$fd; done 2>/dev/null | wc -l)"
            fact store "$(stat --format '%a %U %G' /var/lib/tributary/store.sqlite)"
            fact complaints "$(journalctl -o cat | grep -c 'thread priority')"
            systemctl stop tributaryd.service
            fact tokens "$(ls /dev/shm/tributary-$(id -u tributary) | wc -l)"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["tokens"] == "1", "after a restart the store goes on as its writer")
        #expect(outcome["state"] == "active/running")
        #expect(outcome["text"]?.isEmpty == false, "STATUS= says what the daemon is doing")
        #expect(outcome["status"]?.contains(#""state":"running""#) == true, "\(outcome.everything)")
        #expect(outcome["watched"] != "0", "the folder is watched before READY")
        #expect(outcome["store"] == "640 tributary tributary-readers")
        #expect(outcome["complaints"] == "0", "no thread asks for a priority that it may not have")
    }

    @Test func startFailsOnABadConfigurationAndIsNotRepeated() async throws {
        let outcome = try await SystemdMachine().run(
            """
            configure 'merge: {debuonce: 1s}'
            attempt start systemctl start tributaryd.service
            fact result "$(property Result)"
            fact exit "$(property ExecMainStatus)"
            fact state "$(property ActiveState)"
            fact named "$(journalctl -u tributaryd.service -o cat | grep -c 'tributary.yaml.*debuonce\\|debuonce.*tributary.yaml')"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["start"] == "1")
        #expect(outcome["result"] == "exit-code")
        #expect(outcome["exit"] == "78")
        #expect(outcome["state"] == "failed", "no restart: it would not get better by itself")
        #expect(outcome["named"] != "0", "the journal names file and key: \(outcome.everything)")
    }

    /// Each client gets the reason at once, and starts the service once, until the socket's limit closes it.
    @Test func aFailedStartAnswersItsClientsAndIsNotRepeatedWithoutEnd() async throws {
        let outcome = try await SystemdMachine().run(
            """
            starts() { journalctl -u tributaryd.service -o cat | grep -c '^Starting '; }
            configure 'merge: {debuonce: 1s}'
            systemctl start tributaryd.socket
            attempt first tributaryctl status --timeout 60s
            fact starts "$(starts)"
            tributaryctl status --timeout 60s 2>&1 || :
            for number in {1..12}; do tributaryctl status --timeout 60s >/dev/null 2>&1 || :; done
            fact socket "$(systemctl show --value --property Result tributaryd.socket)"
            fact more "$(($(starts) <= 6))"
            configure
            systemctl start tributaryd.service
            attempt mended tributaryctl status
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["first"] == "69", "\(outcome.everything)")
        #expect(outcome["starts"] == "1", "\(outcome.everything)")
        #expect(outcome.output.contains("debuonce"), "the answer has the reason: \(outcome.everything)")
        #expect(outcome["socket"] == "trigger-limit-hit", "\(outcome.everything)")
        #expect(outcome["more"] == "1", "\(outcome.everything)")
        #expect(outcome["mended"] == "0", "\(outcome.everything)")
    }

    @Test(arguments: ["tributaryd", "tributaryd@shop"]) func afterAShutdownNoClientStartsTheDaemon(_ unit: String)
        async throws
    {
        let outcome = try await SystemdMachine().run(
            """
            echo 'model: /etc/tributary/model.yaml' >/etc/tributary/shop.yaml
            socket=/run/tributary/\(unit.contains("@") ? "shop" : "admin").sock
            systemctl start \(unit).service
            systemctl restart \(unit).service
            attempt restarted tributaryctl --socket $socket status
            tributaryctl --socket $socket shutdown
            timeout 60 bash -c 'while systemctl is-active --quiet \(unit).service \(unit).socket; do :; done'
            attempt status tributaryctl --socket $socket status
            attempt service systemctl is-active \(unit).service
            systemctl start \(unit).service
            attempt again tributaryctl --socket $socket status
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["restarted"] == "0", "a restart opens the socket again: \(outcome.everything)")
        #expect(outcome.output.contains("systemctl start \(unit).service"), "\(outcome.everything)")
        #expect(outcome["status"] == "69", "\(outcome.everything)")
        #expect(outcome["service"] == "3", "it is inactive: \(outcome.everything)")
        #expect(outcome["again"] == "0", "\(outcome.everything)")
    }

    @Test func reloadOfABadConfigurationFailsAndKeepsTheOldOne() async throws {
        let outcome = try await SystemdMachine().run(
            """
            configure 'merge: {debounce: 700ms}'
            systemctl start tributaryd.service
            pid=$(property MainPID)
            configure 'merge: {debounce: 300}'
            attempt bad systemctl reload tributaryd.service
            fact kept "$(tributaryctl config show --json | tr -d ' \\n')"
            fact state "$(property ActiveState)"
            configure 'merge: {debounce: 300ms}'
            attempt good systemctl reload tributaryd.service
            fact changed "$(tributaryctl config show --json | tr -d ' \\n')"
            fact same "$([ $pid = $(property MainPID) ] && echo yes)"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["bad"] == "1", "systemctl reload must fail")
        #expect(outcome["kept"]?.contains("700ms") == true, "\(outcome.everything)")
        #expect(outcome["state"] == "active")
        #expect(outcome["good"] == "0")
        #expect(outcome["changed"]?.contains("300ms") == true, "\(outcome.everything)")
        #expect(outcome["same"] == "yes", "a reload is no restart")
    }

    @Test func stopDuringALargeImportKeepsEverythingAnnounced() async throws {
        let folder = try TemporaryFolder("large")
        let segment = EmployeeSegment(writer: UniqueID(UUID()), transactions: 3_000, changesEach: 200)
        try segment.publish(in: folder.path)
        let outcome = try await SystemdMachine(folders: ["/mnt/segments": folder.path]).run(
            """
            configure 'shutdown: {timeout: 20s}'
            systemctl start tributaryd.service
            cd /var/lib/tributary/logs
            cp -r /mnt/segments/\(segment.writer) .staging-test
            chown -R tributary:tributary-logs .staging-test
            mv .staging-test \(segment.writer)
            # The import is under way when the store says so, long before its end.
            grep -q -m 1 activity < <(timeout 60 tributaryctl watch --json)
            for number in 1 2 3 4 5; do
                tributaryctl object insert Employee "name=Announced $number" >/dev/null
            done
            started=$(date +%s)
            attempt stop systemctl stop tributaryd.service
            fact seconds $(($(date +%s) - started))
            fact result "$(property Result)"
            fact exit "$(property ExecMainStatus)"
            rows() { sqlite3 -readonly /var/lib/tributary/store.sqlite "$1"; }
            fact announced "$(rows "SELECT count(*) FROM Employee WHERE name LIKE 'Announced %'")"
            fact partial "$(rows "SELECT count(*) % 200 FROM Employee WHERE name LIKE 'Employee %'")"
            fact imported "$(rows "SELECT count(*) FROM Employee WHERE name LIKE 'Employee %'")"
            fact integrity "$(rows 'PRAGMA integrity_check')"
            systemctl start tributaryd.service
            tributaryctl sync >/dev/null
            fact later "$(tributaryctl object list Employee --count --json | tr -d ' \\n')"
            """,
            seconds: 300
        )
        print("stopped after \(outcome["seconds"] ?? "?") s with \(outcome["imported"] ?? "?") of \(segment.changes)")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["stop"] == "0")
        #expect(outcome["result"] == "success", "\(outcome.everything)")
        #expect(outcome["exit"] == "0")
        #expect(try #require(Int(outcome["seconds"] ?? "")) <= 25)
        #expect(outcome["announced"] == "5")
        #expect(outcome["partial"] == "0", "a log transaction is never split")
        #expect(outcome["integrity"] == "ok")
        #expect(outcome["later"]?.contains("\(segment.changes + 5)") == true, "\(outcome.everything)")
    }

    @Test func watchdogRestartsAProcessThatHangs() async throws {
        let outcome = try await SystemdMachine().run(
            """
            mkdir /etc/systemd/system/tributaryd.service.d
            printf '[Service]\\nWatchdogSec=2s\\nRestartSec=100ms\\n' >/etc/systemd/system/tributaryd.service.d/test.conf
            systemctl daemon-reload
            systemctl start tributaryd.service
            first=$(property MainPID)
            # Three watchdog periods without one running out: the daemon pings.
            attempt pings timeout 6 grep -q 'Watchdog timeout' < <(journalctl --follow --lines all --output cat)
            kill -STOP $first
            await_journal 'Watchdog timeout'
            await_journal 'Scheduled restart job'
            systemctl start tributaryd.service
            fact restarts "$(property NRestarts)"
            fact new "$([ $first != $(property MainPID) ] && echo yes)"
            tributaryctl status >/dev/null
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["pings"] == "124", "a healthy daemon is left alone: \(outcome.everything)")
        #expect(outcome["restarts"] == "1")
        #expect(outcome["new"] == "yes")
    }

    @Test func journalHasStructuredFields() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.service
            tributaryctl object insert Employee 'name=Line one\\nline two' >/dev/null
            systemctl stop tributaryd.service
            journalctl -u tributaryd.service -o json --no-pager _COMM=tributaryd
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        let entries = try outcome.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let own = entries.filter { $0["_TRANSPORT"] as? String == "journal" }
        #expect(!own.isEmpty, "messages go to the journal's socket, not through standard error: \(outcome.everything)")
        for entry in own {
            #expect(entry["MESSAGE"] is String)
            #expect((entry["PRIORITY"] as? String).flatMap { Int($0) } != nil)
            #expect(entry["SYSLOG_IDENTIFIER"] as? String == "tributaryd")
            #expect(entry["CODE_FILE"] is String)
            #expect(entry["CODE_FUNC"] is String)
            #expect(entry["CODE_LINE"] is String)
        }
        let values = own.flatMap(\.keys).filter { $0.hasPrefix("TRIBUTARY_") && $0 != "TRIBUTARY_LOGGER" }
        #expect(!values.isEmpty, "values are fields of their own: \(outcome.everything)")
    }

    @Test func socketStartsTheServiceAndOutlivesItsCrash() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.socket
            fact before "$(property ActiveState)"
            tributaryctl status >/dev/null
            systemctl start tributaryd.service
            fact activated "$(property ActiveState)"
            pid=$(property MainPID)
            kill -KILL $pid
            await_journal 'Scheduled restart job'
            systemctl start tributaryd.service
            fact new "$([ $pid != $(property MainPID) ] && echo yes)"
            attempt after_crash tributaryctl status
            systemctl restart tributaryd.service
            attempt after_restart tributaryctl status
            fact mode "$(stat --format '%a %U %G' /run/tributary/admin.sock)"
            systemctl stop tributaryd.service
            # systemctl waits for the service only; the socket's own job may end a moment later.
            timeout 20 bash -c 'while systemctl is-active --quiet tributaryd.socket; do :; done'
            attempt closed test -e /run/tributary/admin.sock
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["before"] == "inactive")
        #expect(outcome["activated"] == "active")
        #expect(outcome["new"] == "yes")
        #expect(outcome["after_crash"] == "0")
        #expect(outcome["after_restart"] == "0")
        #expect(outcome["mode"] == "660 tributary tributary-admin")
        #expect(outcome["closed"] == "1", "stopping the service closes the socket")
    }

    @Test func onlyAdministratorsMayConnectAndOnlyReadersMayRead() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.service
            attempt admin as_member_of tributary-admin tributaryctl --socket /run/tributary/admin.sock status
            attempt insert as_member_of tributary-admin tributaryctl --socket /run/tributary/admin.sock \\
                object insert Employee name=Ann
            attempt pause as_member_of tributary-admin tributaryctl --socket /run/tributary/admin.sock pause
            attempt other as_member_of tributary-readers tributaryctl --socket /run/tributary/admin.sock status
            query='SELECT count(*) FROM Employee'
            read_store() { as_member_of "$1" sqlite3 'file:/var/lib/tributary/store.sqlite?mode=ro' "$query" 2>/dev/null; }
            fact running "$(read_store tributary-readers)"
            attempt stranger read_store tributary-admin
            systemctl stop tributaryd.service
            fact stopped "$(read_store tributary-readers)"
            for file in store.sqlite store.sqlite-wal store.sqlite-shm; do
                fact $file "$(stat --format '%a %U %G' /var/lib/tributary/$file)"
            done
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["admin"] == "0")
        #expect(outcome["insert"] == "0")
        #expect(outcome["pause"] == "77", "pausing is for root and the daemon's own user")
        #expect(outcome["other"] == "77" || outcome["other"] == "69")
        #expect(outcome["running"] == "1")
        #expect(outcome["stranger"] != "0")
        #expect(outcome["stopped"] == "1", "also after a clean stop: \(outcome.everything)")
        for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            #expect(outcome[file] == "640 tributary tributary-readers")
        }
    }
}
