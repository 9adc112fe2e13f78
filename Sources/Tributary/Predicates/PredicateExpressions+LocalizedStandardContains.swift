public import Foundation
import TributaryModel

extension PredicateExpressions {
    /// What `#Predicate` makes of `localizedStandardContains`, which Foundation for Linux leaves out.
    ///
    /// Case and diacritics do not count, in no particular language: as `CONTAINS[cd]` in the format language.
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
    /// Without case and diacritics; a translated predicate knows it by its key path.
    var foldedForSearch: String {
        StringFolding.fold(self, caseInsensitive: true, diacriticInsensitive: true)
    }
}
