import Foundation
import FoundationXML

final class ModelXMLReader: NSObject, XMLParserDelegate {
    private static let maximumDepth = 32

    private var open: [ModelXMLElement] = []
    private var root: ModelXMLElement?
    private var failure: ModelError?

    static func read(_ bytes: Data, file: String?) throws(ModelError) -> ModelXMLElement {
        guard bytes.count <= ModelFile.maximumBytes else {
            throw ModelError("the file has \(bytes.count) bytes, a model has 16 MiB at most", file: file)
        }
        guard !bytes.starts(with: Array("bplist".utf8)), !bytes.contains(0) else {
            throw ModelError.binaryModel(file: file)
        }
        try refuse(bytes, file: file)
        let reader = ModelXMLReader()
        let parser = XMLParser(data: bytes)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let isRead = parser.parse()
        if var failure = reader.failure {
            failure.file = file
            throw failure
        }
        guard isRead, let root = reader.root else {
            let reason = parser.parserError.map { "\(($0 as NSError).code)" } ?? "no element"
            throw ModelError("the XML is not well formed (parser error \(reason))", file: file, line: parser.lineNumber)
        }
        return root
    }

    /// Refuses XML that no model contains, and that makes Foundation's parser read from address 0; O(n).
    ///
    /// Examples are the missing text of an instruction such as `<?x?>`, and the missing public name of a notation.
    /// The text must be UTF-8, because another encoding could hide them.
    private static func refuse(_ bytes: Data, file: String?) throws(ModelError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ModelError("the file is not UTF-8, as a model must be", file: file)
        }
        var rest = text[...]
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        if rest.hasPrefix("<?xml ") {
            guard let end = declarationEnd(of: rest) else {
                let reason =
                    "the XML declaration does not declare XML 1 in UTF-8: \(rest.prefix { $0 != ">" }.prefix(100))"
                throw ModelError(reason, file: file)
            }
            rest = rest[end...]
        }
        guard !rest.utf8.contains("<?".utf8) else {
            throw ModelError("a model has no processing instructions: after the XML declaration no '<?'", file: file)
        }
        guard !rest.utf8.contains("<!DOCTYPE".utf8) else {
            throw ModelError("a model has no document type: no '<!DOCTYPE'", file: file)
        }
    }

    private static func declarationEnd(of text: Substring) -> String.Index? {
        let declaration =
            #/
            <\?xml \s+ version \s*=\s* (?: "1\.[0-9]" | '1\.[0-9]' )
            (?: \s+ encoding \s*=\s* (?: "(?i:utf-8|us-ascii)" | '(?i:utf-8|us-ascii)' ) )?
            (?: \s+ standalone \s*=\s* (?: "(?:yes|no)" | '(?:yes|no)' ) )?
            \s* \?>
            /#
        return text.prefixMatch(of: declaration)?.range.upperBound
    }

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard open.count < ModelXMLReader.maximumDepth else {
            failure = ModelError("the elements nest too deep", line: parser.lineNumber)
            return parser.abortParsing()
        }
        open.append(ModelXMLElement(name: elementName, attributes: attributes, line: parser.lineNumber))
    }

    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }
}

extension ModelError {
    static func binaryModel(file: String?) -> ModelError {
        ModelError(
            "this is a model in the binary format of before 2011 (Xcode 3), which cannot be read here; "
                + "open it once in a newer Xcode, which writes it as XML",
            file: file
        )
    }
}

struct ModelXMLElement {
    var name: String
    var attributes: [String: String]
    var children: [ModelXMLElement] = []
    var line: Int

    func children(named name: String) -> [ModelXMLElement] { children.filter { $0.name == name } }
}
