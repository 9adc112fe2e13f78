import Tributary

/// A class of the target's own over the one that the build makes, for what an extension cannot override.
final class Person: PersonBase {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        monthly = 1000
    }
}
