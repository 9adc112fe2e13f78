import Foundation
import FoundationXML

/// Reads an XML document into a tree; external entities are not resolved.
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
        // Foundation's parser reads the missing text of an instruction such as <?x?> from address 0.
        guard !hasInstruction(bytes) else {
            throw ModelError("a model has no processing instructions: after the XML declaration no '<?'", file: file)
        }
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

    /// Whether `<?` occurs after the first bytes, where the declaration is; O(n).
    private static func hasInstruction(_ bytes: Data) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes
        let declaration = Array("<?xml ".utf8)
        let rest = start.starts(with: declaration) ? start.dropFirst(declaration.count) : start
        return rest.range(of: Data("<?".utf8)) != nil
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
