import Foundation
import Testing
import TributaryModel

/// The examples in the articles are correct.
@Suite("Articles")
struct DocumentationTests {
    private func article(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appendingPathComponent("Sources/TributaryModel/TributaryModel.docc/\(name).md").path
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private func block(_ fence: String, of article: String) throws -> String {
        let start = try #require(article.range(of: "\n\(fence)\n"))
        let end = try #require(article.range(of: "\n```", range: start.upperBound..<article.endIndex))
        return String(article[start.upperBound..<end.lowerBound])
    }

    @Test func theModelOfTheArticleIsAModelAndItsPredicatesFit() throws {
        let model = try Model(yaml: try block("```yaml", of: try article("YAMLModels")))
        #expect(model.entities.map(\.name) == ["Department", "Employee", "Person", "Project"])
        #expect(model.notices.isEmpty)
        let employee = try #require(model.entity(named: "Employee"))
        for line in try block("```", of: try article("Predicates")).split(separator: "\n") {
            _ = try ObjectPredicate(parsing: String(line)).bind(to: employee, in: model)
        }
        for key in try SortKey.parse("department.title,-salary") { _ = try key.bind(to: employee, in: model) }
    }

    @Test func theErrorOfTheArticleIsTheError() throws {
        let error = #expect(throws: ObjectPredicateError.self) { () throws -> Void in
            _ = try ObjectPredicate(parsing: "salary >")
        }
        #expect(try article("Predicates").contains("```\n\(error?.description ?? "none")\n```"))
    }
}
