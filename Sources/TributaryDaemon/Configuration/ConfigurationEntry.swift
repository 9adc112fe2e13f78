import Yams

/// A value as a source of the configuration has it.
struct ConfigurationEntry {
    enum Written {
        case text(String)
        case node(Node)
    }

    var written: Written
    var origin: ConfigurationOrigin
    /// The folder to which a path is relative.
    var folder: String
}
