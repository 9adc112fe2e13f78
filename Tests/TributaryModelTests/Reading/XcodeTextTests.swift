import Foundation
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

/// Default values and bounds that Xcode accepts.
@Suite struct XcodeTextTests {
    private func model(_ attributes: String) throws -> Model {
        try Model(xml: "<model><entity name=\"E\">\n\(attributes)\n</entity></model>")
    }

    private func attribute(_ type: String, _ rest: String) throws -> (attribute: Attribute, notices: [String]) {
        let model = try model("<attribute name=\"a\" optional=\"YES\" attributeType=\"\(type)\" \(rest)/>")
        return (try #require(model.entity(named: "E")?.property(named: "a")?.attribute), model.notices)
    }

    @Test(arguments: [
        ("Integer 16", PropertyValue.integer(0), PropertyValue.integer(1)),
        ("Integer 32", .integer(0), .integer(1)),
        ("Integer 64", .integer(0), .integer(1)),
        ("Double", .double(0), .double(1)),
        ("Float", .double(0), .double(1)),
        ("Decimal", .decimal("0"), .decimal("1")),
    ])
    func yesAndNoAreNumbers(type: String, no: PropertyValue, yes: PropertyValue) throws {
        for (text, value) in [("NO", no), ("YES", yes), ("no", no), ("true", yes)] {
            let (attribute, notices) = try attribute(type, "defaultValueString=\"\(text)\"")
            #expect(attribute.defaultValue == value, "\(text)")
            #expect(notices.count == 1 && notices.first?.contains("read as 1 or 0") == true, "\(notices)")
        }
    }

    @Test func thereIsOneRemarkForAllOfThem() throws {
        let lines = (0..<5).map { number in
            "<attribute name=\"a\(number)\" attributeType=\"Integer 32\" defaultValueString=\"NO\"/>"
        }
        let notices = try model(lines.joined(separator: "\n")).notices
        let words = "the default of a number is YES or NO, which is read as 1 or 0"
        #expect(notices == ["line 2: entity E, attribute a0 and 4 more: \(words)"])
    }

    @Test(arguments: [
        ("Integer 16", "defaultValueString=\"1.5\"", PropertyValue.integer(1)),
        ("Integer 32", "defaultValueString=\"-0.5\"", .integer(0)),
        ("Integer 64", "defaultValueString=\" 7 \"", .integer(7)),
        ("Decimal", "defaultValueString=\" 1.50\"", .decimal("1.5")),
        ("Boolean", "defaultValueString=\"0.0\"", .boolean(false)),
        ("Boolean", "defaultValueString=\"2\"", .boolean(true)),
        ("Boolean", "defaultValueString=\"Y\"", .boolean(true)),
        ("Date", "defaultValueString=\"today\"", .null),
        ("Date", "defaultValueString=\"now\" defaultDateTimeInterval=\"0\"", .date(978_307_200)),
        ("UUID", "defaultValueString=\"none\"", .null),
        ("Integer 32", "defaultValueString=\" \"", .null),
        ("String", "defaultValueString=\" \"", .string(" ")),
    ])
    func defaultsAreReadAsCoreDataReadsThem(type: String, text: String, value: PropertyValue) throws {
        #expect(try attribute(type, text).attribute.defaultValue == value)
    }

    @Test func boundsAreReadAsCoreDataReadsThem() throws {
        let integer = try attribute("Integer 16", "minValueString=\"0.5\" maxValueString=\"10.5\"")
        #expect(integer.attribute.minimum == .integer(1) && integer.attribute.maximum == .integer(10))
        #expect(integer.notices.count == 1)
        let wide = try attribute("Integer 16", "minValueString=\"-100000\" maxValueString=\"100000\"")
        #expect(wide.attribute.minimum == .null && wide.attribute.maximum == .null)
        #expect(wide.notices.count == 1 && wide.notices.first?.contains("left out") == true)
        let words = try attribute("Double", "minValueString=\"NO\" maxValueString=\" 2 \"")
        #expect(words.attribute.minimum == .double(0) && words.attribute.maximum == .double(2))
        for type in ["Boolean", "Binary", "UUID", "URI", "Transformable"] {
            let bounded = try attribute(type, "minValueString=\"0\"")
            #expect(bounded.attribute.minimum == .null && bounded.notices.count == 1, "\(type)")
        }
    }

    @Test(arguments: [
        ("Integer 32", "defaultValueString=\"many\""), ("Integer 16", "defaultValueString=\"70000.5\""),
        ("Integer 16", "minValueString=\"70000.5\""), ("Integer 16", "maxValueString=\"-70000\""),
        ("Double", "minValueString=\"x\""), ("Boolean", "defaultValueString=\"maybe\""),
        ("Decimal", "defaultValueString=\"1,5\""), ("Integer 64", "defaultValueString=\"nan\""),
        ("Integer 64", "maxValueString=\"inf\""),
    ])
    func impossibleAttributeTextsAreRefused(type: String, text: String) {
        #expect(throws: ModelError.self) { try attribute(type, text) }
    }

    @Test(.enabled(if: PublishedModels.folder != nil, "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS"))
    func publishedModelsLoadWithNoAsTheDefaultOfTheirNumbers() throws {
        let folder = try #require(PublishedModels.folder)
        let index = try String(contentsOfFile: "\(folder)/INDEX.tsv", encoding: .utf8)
        var count = 0
        for row in index.split(separator: "\n").dropFirst() {
            let file = String(row.prefix { $0 != "\t" })
            let xml = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            let plain = try Model(xml: xml)
            let worded = try Model(xml: xml.replacing("defaultValueString=\"0\"", with: "defaultValueString=\"NO\""))
            #expect(worded.versionHash == plain.versionHash)
            if worded.notices.count == plain.notices.count + 1 { count += 1 }
        }
        #expect(count > 0)
    }
}
