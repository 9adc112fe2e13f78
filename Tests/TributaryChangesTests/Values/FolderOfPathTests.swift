import Testing
import TributaryChanges

@Suite struct FolderOfPathTests {
    @Test(
        arguments: [
            ("", "."), ("a", "."), ("ab", "."), ("a/", "."), ("/", "/"), ("//", "/"), ("/a", "/"), ("//a", "/"),
            ("/a/", "/"),
            ("a/b", "a"), ("a//b//", "a"), ("/a/b", "/a"), ("./a", "."), ("../a", ".."), ("\u{E9}", "."),
            ("/\u{E9}/e\u{301}", "/\u{E9}"),
            ("a/\u{301}", "a"),
        ]
    ) func aPathIsInAFolder(path: String, folder: String) {
        #expect(path.folder == folder)
    }
}
