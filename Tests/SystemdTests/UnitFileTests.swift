import Testing

/// The units as files: what systemd's own checks say, and what they set up before the daemon runs.
@Suite(.enabled(if: SystemdMachine.isWanted, "set TRIBUTARY_SYSTEMD_TESTS=1, as root, to run it"))
struct UnitFileTests {
    init() async throws {
        if let reason = try await SystemdMachine.reasonNotToBoot() { try Test.cancel("\(reason)") }
    }

    @Test func theMachineTellsTheStatusOfTheScript() async throws {
        let outcome = try await SystemdMachine().run("fact one 1; echo two >&2; trap - EXIT; exit 3")
        #expect(outcome.status == 3, "\(outcome.everything)")
        #expect(outcome["one"] == "1")
        #expect(outcome.errors == "two\n")
    }

    @Test func verifyHasNothingToSay() async throws {
        // It exits with 0 on unknown keys, so what it prints counts too.
        let outcome = try await SystemdMachine().run(
            """
            cd /etc/systemd/system
            systemd-analyze verify --man=no tributaryd.service tributaryd.socket tributaryd@a.service tributaryd@a.socket \\
                tributary-backup.service tributary-backup.timer \\
                tributary-backup@a.service tributary-backup@a.timer
            """
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors == "", "\(outcome.everything)")
    }

    @Test(arguments: [
        "tributaryd.service", "tributaryd@.service", "tributary-backup.service", "tributary-backup@.service",
    ])
    func theSandboxIsTight(_ unit: String) async throws {
        // Backups belong to root, which alone counts 0.4.
        let bound = unit.contains("backup") ? 10 : 6
        let outcome = try await SystemdMachine().run(
            "systemd-analyze security --offline=true --threshold=\(bound) /etc/systemd/system/\(unit) | tail -1"
        )
        print("\(unit): \(outcome.output)")
        #expect(outcome.status == 0, "\(outcome.everything)")
    }

    /// The daemon has no network of its own accord, and with the drop-in the machine's loopback addresses only.
    @Test func theNetworkIsADropIn() async throws {
        let outcome = try await SystemdMachine().run(
            """
            printf 'model: /etc/tributary/model.yaml\nadmin: {listen: "127.0.0.1:9417"}\n' >/etc/tributary/tributary.yaml
            page='import sys, urllib.request; print(urllib.request.urlopen("http://127.0.0.1:9417/metrics").status)'
            systemctl start tributaryd.service
            attempt without python3 -c "$page"
            fact state "$(tributaryctl status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["state"])')"
            install -m 644 -D /mnt/tributary/systemd/network.conf /etc/systemd/system/tributaryd.service.d/network.conf
            systemctl daemon-reload
            systemctl restart tributaryd.service
            fact with "$(python3 -c "$page")"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["without"] == "1", "\(outcome.everything)")
        #expect(outcome["state"] == "running")
        #expect(outcome["with"] == "200", "\(outcome.everything)")
    }

    @Test func foldersAndSocketBelongToTheRightOnes() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.socket tributaryd@shop.socket
            for path in /run/tributary /run/tributary/admin.sock /run/tributary/shop.sock /var/lib/tributary \\
                /var/lib/tributary/logs; do
                fact $path "$(stat --format '%a %U %G' $path)"
            done
            attempt admin as_member_of tributary-admin test -w /run/tributary/admin.sock
            attempt logs as_member_of tributary-logs test -w /run/tributary/admin.sock
            attempt deliver as_member_of tributary-logs touch /var/lib/tributary/logs/file
            attempt list as_member_of tributary-logs ls /var/lib/tributary
            attempt stranger as_member_of nogroup ls /var/lib/tributary/logs
            systemctl stop tributaryd.socket
            attempt removed test -e /run/tributary/admin.sock
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["/run/tributary"] == "755 root root")
        #expect(outcome["/run/tributary/admin.sock"] == "660 tributary tributary-admin")
        #expect(outcome["/run/tributary/shop.sock"] == "660 tributary tributary-admin")
        #expect(outcome["/var/lib/tributary"] == "750 tributary tributary-readers")
        #expect(outcome["/var/lib/tributary/logs"] == "2770 tributary tributary-logs")
        #expect(outcome["admin"] == "0")
        #expect(outcome["logs"] == "1", "the replicator's group is no admin group")
        #expect(outcome["deliver"] == "0", "the replicator reaches the log folder")
        #expect(outcome["list"] != "0", "and sees no more of the store's folder than that")
        #expect(outcome["stranger"] != "0")
        #expect(outcome["removed"] == "1", "a stopped socket leaves no file behind")
    }

    /// The daemon's user owns the folder above the log folder, and puts a link to a place of root there.
    @Test(arguments: ["tributaryd", "tributaryd@shop"]) func aStartFollowsNoLinkOfTheServicesUser(_ unit: String)
        async throws
    {
        let state = unit == "tributaryd" ? "/var/lib/tributary" : "/var/lib/tributary-shop"
        let outcome = try await SystemdMachine().run(
            """
            mkdir /etc/place
            echo 'model: /etc/tributary/model.yaml' >/etc/tributary/shop.yaml
            install -d -m 750 -o tributary -g tributary-readers \(state)
            for target in /etc/place /etc/nothing; do
                rm -rf \(state)/logs
                runuser -u tributary -- ln -s $target \(state)/logs
                systemctl start \(unit).service || true
                systemctl stop \(unit).socket \(unit).service
            done
            fact place "$(stat --format '%a %U %G' /etc/place)"
            attempt nothing test -e /etc/nothing
            rm \(state)/logs
            systemctl start \(unit).service
            fact logs "$(stat --format '%a %U %G' \(state)/logs)"
            chmod 2750 \(state)/logs
            systemctl restart \(unit).service
            fact kept "$(stat --format '%a %U %G' \(state)/logs)"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["place"] == "755 root root", "\(outcome.everything)")
        #expect(outcome["nothing"] == "1", "\(outcome.everything)")
        #expect(outcome["logs"] == "2770 tributary tributary-logs", "\(outcome.everything)")
        #expect(outcome["kept"] == "2750 tributary tributary-logs", "\(outcome.everything)")
    }
}
