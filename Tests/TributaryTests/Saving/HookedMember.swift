import Tributary

final class HookedMember: ManagedObject {
    override class var entityName: String { "Member" }
    static let team = ToOne<HookedTeam>("team")

    var team: HookedTeam? {
        get { self[HookedMember.team] }
        set { self[HookedMember.team] = newValue }
    }
}
