import Tributary

/// Accounts with an owner, which deletions leave in the history, and a balance.
enum AccountModel {
    static func make() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  Account:
                    attributes:
                      owner: {type: String, max: 20, preserve_after_deletion: true}
                      balance: {type: Integer 64, default: 0}
                """
        )
    }
}
