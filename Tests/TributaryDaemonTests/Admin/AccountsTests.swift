import Testing

@testable import TributaryDaemon

@Suite struct AccountsTests {
    @Test func namesOfUsersAndNumbersOfGroups() {
        #expect(Accounts.userName(of: 0) == "root")
        #expect(Accounts.userName(of: 3_999_999_999) == nil)
        #expect(Accounts.groupID(named: "root") == 0)
        #expect(Accounts.groupID(named: "tributary-no-such-group") == nil)
    }

    @Test(.timeLimit(.minutes(30))) func manyMayAskAtOnce() async {
        let wrong = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).count { index in
                        index.isMultiple(of: 2)
                            ? Accounts.userName(of: 0) != "root" : Accounts.userName(of: 3_999_999_999) != nil
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
