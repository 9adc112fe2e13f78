import Testing

/// What `tributaryctl doctor`, `tributaryd --check-config` and `tributaryctl store move` find and do as the user of the unit.
@Suite(.enabled(if: SystemdMachine.isWanted, "set TRIBUTARY_SYSTEMD_TESTS=1, as root, to run it"))
struct DoctorTests {
    init() async throws {
        if let reason = try await SystemdMachine.reasonNotToBoot() { try Test.cancel("\(reason)") }
    }

    /// Root could read the file: the check takes the rights of the service, which cannot.
    @Test func aKeyFileIsReadAsTheUserOfTheUnit() async throws {
        let outcome = try await SystemdMachine().run(
            """
            configure 'encryption: {key_file: /etc/tributary/logs.keys}'
            sh -c 'umask 077; echo 1111111111111111111111111111111111111111111111111111111111111111 >/etc/tributary/logs.keys'
            attempt start systemctl start tributaryd.service
            attempt check tributaryd --check-config
            fact told "$(tributaryd --check-config 2>&1 | tr '\\n' ' ')"
            attempt doctor tributaryctl doctor
            fact found "$(tributaryctl doctor | grep 'problem.*keys' | tr '\\n' ' ')"
            { tributaryctl doctor || :; } | grep -o 'chgrp tributary .*logs.keys$' >/run/help
            sh -eux /run/help
            attempt repaired tributaryd --check-config
            systemctl start tributaryd.service
            fact state "$(property ActiveState)"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["start"] == "1", "\(outcome.everything)")
        #expect(outcome["check"] == "78", "\(outcome.everything)")
        #expect(outcome["told"]?.contains("Permission denied") == true, "\(outcome.everything)")
        #expect(outcome["doctor"] == "78")
        #expect(outcome["found"]?.contains("logs.keys") == true, "\(outcome.everything)")
        #expect(outcome["repaired"] == "0", "\(outcome.everything)")
        #expect(outcome["state"] == "active", "\(outcome.everything)")
    }

    /// Each command that the doctor prints is typed, and then the service runs.
    @Test func whatTheDoctorPrintsHelps() async throws {
        let outcome = try await SystemdMachine().run(
            """
            install -d -o root -g root -m 755 /srv/logs
            configure 'logs: /srv/logs' 'admin: {writers: [clerks], listen: "127.0.0.1:9417"}'
            install -D -m 644 /mnt/tributary/systemd/network.conf /usr/share/tributary/network.conf
            attempt before tributaryctl doctor
            fact subjects "$(tributaryctl doctor --json | python3 -c 'import json, sys
            print(sorted({one["subject"] for one in json.load(sys.stdin)["findings"] if one["level"] == "problem"}))')"
            for round in 1 2 3; do
                tributaryctl doctor --json >/run/report || :
                python3 -c 'import json
            for one in json.load(open("/run/report"))["findings"]:
                if one["level"] == "problem":
                    for command in one["commands"]:
                        if "check-config" not in command: print(command.replace("sudo ", ""))' >/run/help
                sh -ux /run/help >&2 || :
            done
            attempt after tributaryctl doctor
            fact left "$(tributaryctl doctor | tr '\\n' ';')"
            systemctl start tributaryd.service
            fact state "$(property ActiveState)"
            fact page "$(python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:9417/metrics").status)')"
            tributaryctl object insert Employee name=Ann >/dev/null
            tributaryctl sync >/dev/null
            fact published "$(find /srv/logs -name '*.tlog' | wc -l)"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["before"] == "78")
        #expect(outcome["subjects"] == "['groups', 'logs', 'network']", "\(outcome.everything)")
        #expect(outcome["after"] == "0", "\(outcome.everything)")
        #expect(outcome["state"] == "active", "\(outcome.everything)")
        #expect(outcome["page"] == "200", "\(outcome.everything)")
        #expect(outcome["published"] == "1", "\(outcome.everything)")
    }

    /// The draft of the next model is in root's home, which the user of the service cannot read.
    @Test func aModelOfRootIsCompared() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.service
            install -d -m 700 /root
            install -m 600 /etc/tributary/model.yaml /root/draft.yaml
            attempt diff tributaryctl model diff --store /root/draft.yaml
            attempt owned test -z "$(find /var/lib/tributary -user root -name 'store.sqlite*')"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["diff"] == "0", "\(outcome.everything)")
        #expect(outcome["owned"] == "0", "\(outcome.everything)")
    }

    /// The user of the service could read the file, and the service sees no homes.
    @Test func aFileInAHomeIsHidden() async throws {
        let outcome = try await SystemdMachine().run(
            """
            place=/home
            install -d -m 755 $place/ann
            cp /etc/tributary/model.yaml $place/ann/model.yaml
            chmod 644 $place/ann/model.yaml
            printf '%s\\n' "model: $place/ann/model.yaml" >/etc/tributary/tributary.yaml
            attempt start systemctl start tributaryd.service
            attempt doctor tributaryctl doctor
            fact found "$(tributaryctl doctor | grep 'problem.*ann/model.yaml' | tr '\\n' ' ')"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["start"] == "1", "\(outcome.everything)")
        #expect(outcome["doctor"] == "78", "\(outcome.everything)")
        #expect(outcome["found"]?.contains("ProtectHome") == true, "\(outcome.everything)")
    }

    @Test func aStoreMovesWithAllThatBelongsToIt() async throws {
        let outcome = try await SystemdMachine().run(
            """
            cp /mnt/tributary/etc/tributary.yaml /etc/tributary/tributary.yaml
            systemctl start tributaryd.service
            tributaryctl object insert Employee name=Ann >/dev/null
            fact before "$(tributaryctl digest | head -1)"
            fact key "$(sha256sum </var/lib/tributary/store.sqlite-key)"
            install -d -m 777 /srv/open
            attempt open tributaryctl store move /srv/open/store
            attempt logs tributaryctl store move /var/lib/tributary/logs/store
            echo text >/srv/file
            attempt below tributaryctl store move /srv/file/store
            attempt long tributaryctl store move "/srv/$(printf '%0300d' 0)/store"
            fact running "$(property ActiveEnterTimestampMonotonic)"
            attempt name tributaryctl store move "/srv/made/$(printf '%0250d' 0)/$(printf 'x/%.0s' $(seq 1 1900))"
            attempt parents test -e /srv/made
            fact ran "$(property ActiveEnterTimestampMonotonic)"
            install -d -o root -g root -m 755 /srv/left
            echo key >/srv/left/store.sqlite-key
            attempt left tributaryctl store move /srv/left
            fact kept "$(cat /srv/left/store.sqlite-key)"
            fact still "$(tributaryctl object list Employee --count)"
            tributaryctl store move /srv/tributary/deep
            fact state "$(property ActiveState)"
            fact after "$(tributaryctl digest | head -1)"
            fact moved "$(sha256sum </srv/tributary/deep/store.sqlite-key)"
            fact named "$(grep -n '^store:' /etc/tributary/tributary.yaml)"
            fact former "$(ls /var/lib/tributary | tr '\\n' ' ')"
            fact owner "$(stat --format '%a %U %G' /srv/tributary/deep)"
            tributaryctl object insert Employee name=Bob >/dev/null
            tributaryctl sync >/dev/null
            fact published "$(ls /var/lib/tributary/logs/*/*.tlog | wc -l)"
            attempt doctor tributaryctl doctor
            tributaryctl backup /run/backup.sqlite >/dev/null
            attempt restore tributaryctl restore /run/backup.sqlite
            attempt elsewhere test -e /var/lib/tributary/store.sqlite
            tributaryctl store move /var/lib/tributary
            rm -rf /srv/tributary
            systemctl restart tributaryd.service
            fact back "$(tributaryctl object list Employee --count)"
            attempt named_still grep -q '^store:' /etc/tributary/tributary.yaml
            rm -rf /srv/tributary
            systemctl restart tributaryd.service
            fact restarted "$(property ActiveState)"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["left"] == "64", "\(outcome.everything)")
        #expect(outcome["kept"] == "key")
        #expect(outcome["restore"] == "64", "a backup in the former place restores nothing: \(outcome.everything)")
        #expect(outcome["elsewhere"] == "1")
        #expect(outcome["open"] == "77", "\(outcome.everything)")
        #expect(outcome["logs"] == "78", "\(outcome.everything)")
        for refused in ["below", "long", "name"] {
            #expect(outcome[refused] == "64", "\(refused): \(outcome.everything)")
        }
        #expect(outcome["parents"] == "1", "a refused move leaves no folder: \(outcome.everything)")
        #expect(outcome["running"] == outcome["ran"], "a refused move stops no service: \(outcome.everything)")
        #expect(outcome["still"] == "1")
        #expect(outcome["state"] == "active", "\(outcome.everything)")
        #expect(outcome["after"] == outcome["before"])
        #expect(outcome["moved"] == outcome["key"], "the store keeps its key")
        #expect(outcome["named"]?.hasSuffix("store: /srv/tributary/deep/store.sqlite") == true, "\(outcome.everything)")
        #expect(outcome["former"] == "last-store logs ", "\(outcome.everything)")
        #expect(outcome["owner"] == "750 tributary tributary-readers")
        #expect(outcome["published"] == "2", "\(outcome.everything)")
        #expect(outcome["doctor"] == "0", "\(outcome.everything)")
        #expect(outcome["back"] == "2", "\(outcome.everything)")
        #expect(outcome["named_still"] == "1", "the default place is not named: \(outcome.everything)")
        #expect(outcome["restarted"] == "active", "the unit needs the former folder no more: \(outcome.everything)")
    }

    /// A store that is moved by hand, while the configuration names the former place, is not replaced by an empty one.
    @Test func aMissingStoreIsToldAndNotMadeAnew() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.service
            tributaryctl object insert Employee name=Ann >/dev/null
            systemctl stop tributaryd.service
            mkdir /srv/tributary
            mv /var/lib/tributary/store.sqlite* /srv/tributary/
            attempt start systemctl start tributaryd.service
            fact told "$(journalctl -u tributaryd.service -o cat | grep -c 'which this service had, is not there')"
            attempt made test -e /var/lib/tributary/store.sqlite
            mv /srv/tributary/store.sqlite* /var/lib/tributary/
            systemctl start tributaryd.service
            fact there "$(tributaryctl object list Employee --count)"
            systemctl stop tributaryd.service
            rm /var/lib/tributary/store.sqlite* /var/lib/tributary/last-store
            systemctl start tributaryd.service
            tributaryctl wait >/dev/null
            fact anew "$(tributaryctl object list Employee --count)"
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["start"] == "1", "\(outcome.everything)")
        #expect(outcome["told"] != "0", "\(outcome.everything)")
        #expect(outcome["made"] == "1", "\(outcome.everything)")
        #expect(outcome["there"] == "1")
        #expect(outcome["anew"] == "1", "the log folder has it: \(outcome.everything)")
    }

    @Test func manyRestartsLeaveTheServiceUp() async throws {
        let outcome = try await SystemdMachine().run(
            """
            systemctl start tributaryd.service
            for number in 1 2 3 4 5 6 7 8; do systemctl restart tributaryd.service; done
            fact service "$(property ActiveState)"
            fact socket "$(systemctl is-active tributaryd.socket)"
            tributaryctl status >/dev/null
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["service"] == "active")
        #expect(outcome["socket"] == "active")
    }
}
