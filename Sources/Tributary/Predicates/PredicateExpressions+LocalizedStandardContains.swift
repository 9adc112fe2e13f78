public import Foundation
import TributaryModel

extension PredicateExpressions {
    /// Builds the expression of `localizedStandardContains` in `#Predicate`, which Foundation for Linux lacks.
    ///
    /// It ignores case and diacritics, without a locale, as `CONTAINS[cd]` does in the format language.
    public static func build_localizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>(
        _ root: Root,
        _ other: Other
    ) -> CollectionContainsCollection<KeyPath<Root, String>, KeyPath<Other, String>>
    where Root.Output == String, Other.Output == String {
        build_contains(
            build_KeyPath(root: root, keyPath: \.foldedForSearch),
            build_KeyPath(root: other, keyPath: \.foldedForSearch)
        )
    }
}

extension String {
    /// The string without case and diacritics; the translator recognizes it by its key path.
    var foldedForSearch: String {
        StringFolding([.caseInsensitive, .diacriticInsensitive]).fold(self)
    }
}
