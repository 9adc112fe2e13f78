import Testing

/// A store beside the first one, and the commands for several instances.
@Suite(.enabled(if: SystemdMachine.isWanted, "set TRIBUTARY_SYSTEMD_TESTS=1, as root, to run it"))
struct InstanceTests {
    init() async throws {
        if let reason = try await SystemdMachine.reasonNotToBoot() { try Test.cancel("\(reason)") }
    }

    @Test func theReplicatorReachesTheLogFolderOfAnInstance() async throws {
        let outcome = try await SystemdMachine().run(
            """
            echo 'model: /etc/tributary/model.yaml' >/etc/tributary/shop.yaml
            systemctl start tributaryd@shop.service
            fact folder "$(stat --format '%U %G' /var/lib/tributary-shop)"
            fact logs "$(stat --format '%a %U %G' /var/lib/tributary-shop/logs)"
            attempt deliver as_member_of tributary-logs touch /var/lib/tributary-shop/logs/file
            attempt list as_member_of tributary-logs ls /var/lib/tributary-shop
            attempt stranger as_member_of nogroup ls /var/lib/tributary-shop/logs
            systemctl restart tributaryd@shop.service
            attempt again as_member_of tributary-logs touch /var/lib/tributary-shop/logs/file
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["folder"] == "tributary tributary-readers")
        #expect(outcome["logs"] == "2770 tributary tributary-logs")
        #expect(outcome["deliver"] == "0", "\(outcome.everything)")
        #expect(outcome["list"] != "0", "it sees no more of the store's folder than that")
        #expect(outcome["stranger"] != "0")
        #expect(outcome["again"] == "0", "a restart keeps the way open")
    }

    @Test func hintsNameTheInstance() async throws {
        let outcome = try await SystemdMachine().run(
            """
            echo 'model: /etc/tributary/model.yaml' >/etc/tributary/shop.yaml
            systemctl start tributaryd@shop.service
            fact socket "$(tributaryctl --instance shop config show | grep '^admin.socket ' | tr -s ' ')"
            echo 'admin: {listen: "127.0.0.1:9417"}' >>/etc/tributary/shop.yaml
            systemctl reload tributaryd@shop.service
            tributaryctl --instance shop pause >/dev/null
            tributaryctl --instance shop status
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["socket"]?.contains("/run/tributary/shop.sock systemd") == true, "\(outcome.everything)")
        #expect(outcome.output.contains("systemctl restart tributaryd@shop.service"), "\(outcome.everything)")
        #expect(outcome.output.contains("tributaryctl --instance shop resume"), "\(outcome.everything)")
    }

    @Test(arguments: ["tributaryd.service", "tributaryd@shop.service"])
    func afterAFailedStartTheCommandSaysWhereToLook(_ unit: String) async throws {
        let instance = unit.contains("@") ? "--instance shop" : ""
        let file = unit.contains("@") ? "shop.yaml" : "tributary.yaml"
        let outcome = try await SystemdMachine().run(
            """
            echo 'merge: {debuonce: 1s}' >/etc/tributary/\(file)
            attempt start systemctl start \(unit)
            attempt status tributaryctl \(instance) status
            tributaryctl \(instance) status 2>&1 || :
            """
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome["start"] == "1")
        #expect(outcome["status"] == "69", "\(outcome.everything)")
        #expect(outcome.output.contains("/run/tributary/\(unit.contains("@") ? "shop" : "admin").sock"))
        #expect(outcome.output.contains("journalctl -u \(unit)"), "\(outcome.everything)")
    }
}
