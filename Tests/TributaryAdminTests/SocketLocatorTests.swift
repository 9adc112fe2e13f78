import Testing
import TributaryAdmin

@Suite("Where the command finds the daemon")
struct SocketLocatorTests {
    private func locator(_ environment: [String: String] = [:], user: UInt32 = 1000, exists: Bool = true)
        -> SocketLocator
    {
        SocketLocator(environment: environment, userID: user, exists: { _ in exists })
    }

    @Test("a socket that is given explicitly is the only candidate")
    func outright() {
        let all = locator(["TRIBUTARY_SOCKET": "/b", "XDG_RUNTIME_DIR": "/run/user/1000"])
        #expect(all.candidates(socket: "/a", instance: "shop") == ["/a"])
        #expect(all.candidates(socket: nil, instance: "shop") == ["/b"])
        #expect(locator().candidates(socket: nil, instance: "shop") == ["/run/tributary/shop.sock"])
    }

    @Test("the user's own socket comes before the system's, but not for root and only when it is there")
    func own() {
        let environment = ["XDG_RUNTIME_DIR": "/run/user/1000"]
        let own = "/run/user/1000/tributary/admin.sock"
        let system = "/run/tributary/admin.sock"
        #expect(locator(environment).candidates(socket: nil, instance: nil) == [own, system])
        #expect(locator(environment, user: 0).candidates(socket: nil, instance: nil) == [system])
        #expect(locator(environment, exists: false).candidates(socket: nil, instance: nil) == [system])
    }

    @Test("without XDG_RUNTIME_DIR the user's socket lies beside the store")
    func besideTheStore() {
        let home = locator(["HOME": "/accounts/ann"]).candidates(socket: nil, instance: nil)
        #expect(home.first == "/accounts/ann/.local/state/tributary/admin.sock")
        let state = locator(["HOME": "/accounts/ann", "XDG_STATE_HOME": "/data"]).candidates(socket: nil, instance: nil)
        #expect(state.first == "/data/tributary/admin.sock")
    }
}

@Suite struct ServiceStateTests {
    @Test(arguments: [
        ("/etc/tributary/tributary.yaml", "/var/lib/tributary"),
        ("/etc/tributary/shop.yaml", "/var/lib/tributary-shop"),
        ("/etc/tributary/.yaml", nil), ("/etc/tributary/a/shop.yaml", nil), ("/etc/tributary/model.json", nil),
        ("/srv/tributary.yaml", nil), ("tributary.yaml", nil),
    ])
    func theConfigurationOfAServiceTellsItsFolder(path: String, folder: String?) {
        #expect(DefaultPaths.serviceState(configuredBy: path) == folder)
    }
}
