public import TributaryModel

extension ComparableKey where Value.Present == String {
    /// Whether the string is this one, under the options.
    public func equals(_ text: String, _ options: TextOptions) -> ObjectPredicate {
        comparison(.equal, .constant(.string(text)), options)
    }

    /// Whether the string is one of those, under the options.
    public func `in`(_ texts: some Sequence<String>, _ options: TextOptions) -> ObjectPredicate {
        comparison(.isIn, .list(texts.map { .constant(.string($0)) }), options)
    }

    /// Whether the string begins with the text.
    public func beginsWith(_ text: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.beginsWith, .constant(.string(text)), options)
    }

    /// Whether the string ends with the text.
    public func endsWith(_ text: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.endsWith, .constant(.string(text)), options)
    }

    /// Whether the string contains the text.
    public func contains(_ text: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.contains, .constant(.string(text)), options)
    }

    /// Whether the string fits a pattern: `*` for any number of Unicode scalars, `?` for one.
    public func like(_ pattern: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.like, .constant(.string(pattern)), options)
    }

    /// Whether the whole string fits a regular expression of ICU.
    public func matches(_ pattern: String, _ options: TextOptions = []) -> ObjectPredicate {
        comparison(.matches, .constant(.string(pattern)), options)
    }
}
