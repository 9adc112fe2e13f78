struct ModelXMLElement {
    var name: String
    var attributes: [String: String]
    var children: [ModelXMLElement] = []
    var line: Int

    func children(named name: String) -> [ModelXMLElement] { children.filter { $0.name == name } }
}
