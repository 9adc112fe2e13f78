import Foundation
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@Suite("Core Data's models")
struct XCDataModelTests {
    /// A model with one element of every kind, whose parts the tests check.
    private static let everything = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" futureFlag="YES">
            <entity name="Person" representedClassName=".Person" isAbstract="YES" elementID="Human">
                <attribute name="name" attributeType="String" defaultValueString="" minValueString="1" maxValueString="80" regularExpressionString="\\S+" elementID="fullName"/>
                <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="86400" minDateTimeInterval="0" usesScalarValueType="NO"/>
                <attribute name="age" optional="YES" transient="YES"/>
                <attribute name="initial" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
                <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
                <fetchIndex name="byName">
                    <fetchIndexElement property="name" type="Binary" order="ascending"/>
                    <fetchIndexElement property="born" type="Binary" order="descending"/>
                </fetchIndex>
                <fetchIndex name="byPlace">
                    <fetchIndexElement property="born" type="RTree" order="ascending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="name"/><constraint value="born"/></uniquenessConstraint>
                </uniquenessConstraints>
                <fetchedProperty name="friends" optional="YES"><fetchRequest name="f" entity="Person"/></fetchedProperty>
                <userInfo><entry key="colour" value="blue"/></userInfo>
            </entity>
            <entity name="Employee" representedClassName="Company.Employee" parentEntity="Person" syncable="YES">
                <attribute name="salary" attributeType="Decimal" defaultValueString="0.0" minValueString="0" indexed="YES"/>
                <attribute name="hours" attributeType="Integer 64" defaultValueString="0" preserveAfterDeletion="YES">
                    <userInfo><entry key="tributary.merge" value="counter"/></userInfo>
                </attribute>
                <attribute name="active" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="colour" optional="YES" attributeType="Transformable" valueTransformerName="T" customClassName="C"/>
                <relationship name="department" optional="YES" maxCount="1" deletionRule="Deny" destinationEntity="Department" inverseName="staff" inverseEntity="Department" elementID="division"/>
                <relationship name="projects" optional="YES" toMany="YES" minCount="1" maxCount="5" ordered="YES" deletionRule="Cascade" destinationEntity="Department"/>
            </entity>
            <entity name="Department">
                <relationship name="staff" optional="YES" deletionRule="No Action" destinationEntity="Employee" inverseName="department"/>
                <compoundIndexes/>
                <novelty/>
            </entity>
            <composite name="Address">
                <attribute name="city" attributeType="String"/>
                <attribute name="at" attributeType="Composite" composite="Point"/>
            </composite>
            <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
            <fetchRequest name="rich" entity="Employee" predicateString="salary &gt; $LIMIT" fetchLimit="7" fetchBatchSize="20" includesSubentities="NO"/>
            <fetchRequest name="gone" entity="Ghost"/>
            <configuration name="Local"><memberEntity name="Employee"/><memberEntity name="Ghost"/></configuration>
            <elements><element name="Person" positionX="0" positionY="0" width="1" height="1"/></elements>
        </model>
        """

    private let model: Model

    init() throws {
        model = try Model(xml: XCDataModelTests.everything, version: "Company 2", file: "contents")
    }

    private func attribute(_ entity: String, _ name: String) throws -> Attribute {
        try #require(model.entity(named: entity)?.property(named: name)?.attribute)
    }

    @Test func entities() throws {
        #expect(model.version == "Company 2")
        #expect(model.entities.map(\.name) == ["Department", "Employee", "Person"])
        let person = try #require(model.entity(named: "Person"))
        #expect(person.isAbstract && person.className == ".Person" && person.renamingIdentifier == "Human")
        #expect(person.subentities == ["Employee"] && person.userInfo == ["colour": "blue"])
        let employee = try #require(model.entity(named: "Employee"))
        #expect(employee.root == "Person" && employee.ancestors == ["Person"] && employee.isKind(of: "Person"))
        #expect(employee.properties.prefix(5).map(\.name) == ["age", "born", "home", "initial", "name"])
        #expect(employee.propertyIndex(named: "name") == person.propertyIndex(named: "name"))
        #expect(employee.uniquenessConstraints == [["name", "born"]])
        #expect(employee.fetchIndexes.map(\.name) == ["byName", "by_salary"])
        #expect(person.fetchIndexes.first?.elements.map(\.isAscending) == [true, false])
        #expect(model.rootEntities.map(\.name) == ["Department", "Person"])
    }

    @Test func attributes() throws {
        let name = try attribute("Person", "name")
        #expect(!name.isOptional && name.defaultValue == .string("") && name.renamingIdentifier == "fullName")
        #expect(name.minimum == .integer(1) && name.maximum == .integer(80) && name.regularExpression == "\\S+")
        let born = try attribute("Employee", "born")
        #expect(
            born.isOptional && born.defaultValue == .date(978_307_200 + 86_400) && born.minimum == .date(978_307_200)
        )
        let age = try attribute("Person", "age")
        #expect(age.isTransient && age.type == .undefined && !age.isStored)
        #expect(try attribute("Person", "initial").derivationExpression == "canonical:(name)")
        let salary = try attribute("Employee", "salary")
        #expect(salary.defaultValue == .decimal("0") && salary.minimum == .decimal("0"))
        let hours = try attribute("Employee", "hours")
        #expect(hours.mergeRule == .counter && hours.defaultValue == .integer(0) && hours.preservesValueAfterDeletion)
        #expect(try attribute("Employee", "active").defaultValue == .boolean(true))
        #expect(try attribute("Employee", "photo").allowsExternalBinaryStorage)
        let colour = try attribute("Employee", "colour")
        #expect(colour.valueTransformerName == "T" && colour.customClassName == "C")
        let home = try attribute("Person", "home")
        #expect(home.compositeAttributes.map(\.name) == ["at", "city"])
        #expect(home.compositeAttributes.first?.compositeAttributes.map(\.name) == ["x"])
    }

    @Test func relationships() throws {
        let employee = try #require(model.entity(named: "Employee"))
        let department = try #require(employee.property(named: "department")?.relationship)
        #expect(!department.isToMany && department.deleteRule == .deny && department.renamingIdentifier == "division")
        let projects = try #require(employee.property(named: "projects")?.relationship)
        #expect(projects.isToMany && projects.isOrdered && projects.deleteRule == .cascade)
        #expect(projects.minimumCount == 1 && projects.maximumCount == 5)
        let staff = try #require(model.entity(named: "Department")?.property(named: "staff"))
        #expect(staff.relationship?.isToMany == true && staff.relationship?.deleteRule == .noAction)
        #expect(
            staff
                == .relationship(
                    try #require(staff.relationship),
                    .inverse(entity: "Employee", relationship: "department")
                )
        )
    }

    /// Published models have such indexes, which Core Data's stores ignore.
    @Test func anIndexOfAToManyRelationshipIsLeftOut() throws {
        let model = try Model(
            xml: """
                <model>
                <entity name="Base"><relationship name="parts" toMany="YES" destinationEntity="Part"/></entity>
                <entity name="Part" parentEntity="Base"><attribute name="code" optional="YES" attributeType="String"/>
                <fetchIndex name="byParts"><fetchIndexElement property="parts" type="Binary"/></fetchIndex>
                <fetchIndex name="byCode"><fetchIndexElement property="code" type="Binary"/></fetchIndex>
                <compoundIndexes><compoundIndex><index value="code"/><index value="parts"/></compoundIndex></compoundIndexes>
                </entity></model>
                """
        )
        #expect(model.entity(named: "Part")?.fetchIndexes.map(\.name) == ["byCode"])
        #expect(model.notices.filter { $0.contains("to-many") }.count == 2, "\(model.notices)")
    }

    @Test func requestsAndConfigurations() throws {
        let rich = try #require(model.fetchRequests["rich"])
        #expect(rich.predicate == "salary > $LIMIT" && rich.fetchLimit == 7 && rich.fetchBatchSize == 20)
        #expect(!rich.includesSubentities)
        #expect(model.fetchRequests.keys.sorted() == ["rich"])
        #expect(model.configurations == ["Local": ["Employee"]])
    }

    @Test func unsupportedPartsAreReportedOnceWithTheirLine() {
        #expect(
            model.notices == [
                "line 2: the attribute 'futureFlag' of <model> is not known and is left out",
                "line 14: entity Person: the fetch index 'byPlace' is not over plain values and is left out",
                "line 19: fetched properties are not supported and are left out",
                "line 36: the element <novelty> in <entity> is not known and is left out",
                "the fetch request 'gone' names the entity 'Ghost', which is not there",
                "the configuration 'Local' names 'Ghost', which is not there",
            ]
        )
    }

    /// An invalid line, the second one of the document, and a text in its error.
    @Test(arguments: [
        (#"<attribute name="a"/>"#, "entity E, attribute a", "attributeType"),
        (#"<attribute attributeType="String"/>"#, "entity E, attribute", "'name'"),
        (#"<attribute name="a" attributeType="Integer 17"/>"#, "entity E, attribute a", "'Integer 17'"),
        (
            #"<attribute name="a" attributeType="String" optional="yes"/>"#, "entity E, attribute a",
            "neither YES nor NO"
        ),
        (
            #"<attribute name="a" attributeType="Integer 16" defaultValueString="70000"/>"#, "entity E, attribute a",
            "'70000'"
        ),
        (
            #"<attribute name="a" attributeType="Date" defaultDateTimeInterval="now"/>"#, "entity E, attribute a",
            "'now'"
        ),
        (#"<attribute name="_a" attributeType="String"/>"#, "entity E, attribute _a", "underscore"),
        (#"<attribute name="a-b" attributeType="String"/>"#, "entity E, attribute a-b", "letters"),
        (#"<attribute name="a" attributeType="Composite" composite="C"/>"#, "entity E, attribute a", "'C'"),
        (#"<relationship name="r" maxCount="1"/>"#, "entity E, relationship r", "destinationEntity"),
        (#"<relationship name="r" destinationEntity="X"/>"#, "entity E, relationship r", "'X'"),
        (#"<relationship name="r" destinationEntity="E" inverseName="q"/>"#, "entity E, relationship r", "'q'"),
        (
            #"<relationship name="r" destinationEntity="E" deletionRule="Maybe"/>"#, "entity E, relationship r",
            "'Maybe'"
        ),
        (
            #"<relationship name="r" destinationEntity="E" minCount="3" maxCount="2"/>"#, "entity E, relationship r",
            "3 to 2"
        ),
        (
            #"<attribute name="a" attributeType="String"/><relationship name="a" destinationEntity="E"/>"#,
            "entity E, property a", "twice"
        ),
        (
            #"<attribute name="a" attributeType="String"><userInfo><entry key="tributary.merge" value="sum"/></userInfo></attribute>"#,
            "entity E, attribute a", "counter"
        ),
        (
            #"<attribute name="a" attributeType="String"><userInfo><entry key="tributary.merge" value="counter"/></userInfo></attribute>"#,
            "entity E, attribute a", "counters"
        ),
        (
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"z\"/></uniquenessConstraint></uniquenessConstraints>",
            "entity E", "'z'"
        ),
    ])
    func errorsNameFileLineAndElement(line: String, element: String, words: String) throws {
        let xml = "<model><entity name=\"E\">\n\(line)\n</entity></model>"
        let error = #expect(throws: ModelError.self) { () throws -> Void in
            _ = try Model(xml: xml, file: "M.xcdatamodel/contents")
        }
        #expect(error?.file == "M.xcdatamodel/contents")
        #expect(error?.line == (element == "entity E" ? 1 : 2))
        #expect(error?.element == element)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: ["", "<model>", "<plist></plist>", "no XML", "<model><entity name='A'></model>", "bplist00\u{1}"])
    func noModels(text: String) {
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(xml: text, file: "contents") }
        #expect(error?.file == "contents")
    }

    /// The parser below would read from address 0, or what the outside holds.
    @Test(arguments: [
        (#"<!DOCTYPE m [<!NOTATION n SYSTEM "u"><!ENTITY e SYSTEM "f" NDATA n>]><model/>"#, "document type"),
        (#"<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/hostname">]><model>&x;</model>"#, "document type"),
        (#"<?xml version="1.0"?><?x?><model/>"#, "processing instruction"),
        (#"<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE m []><model/>"#, "UTF-8"),
        (#"<?xml version="1.0" encoding='IBM037'?><model/>"#, "UTF-8"),
    ])
    func refused(text: String, words: String) {
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(xml: text, file: "contents") }
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        #expect(error?.file == "contents")
    }

    @Test func otherBytesThanUTF8AreRefused() throws {
        let folder = try TemporaryFolder("bytes")
        let path = folder.path("Odd.xcdatamodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        // "<?xml" in an encoding of mainframes, which the parser recognizes by itself.
        try Data([0x4C, 0x6F, 0xA7, 0x94, 0x93]).write(to: URL(filePath: path + "/contents"))
        let error = #expect(throws: ModelError.self) { () throws -> Void in _ = try Model(contentsOf: path) }
        #expect(error?.reason.contains("UTF-8") == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [
        "<?xml version='1.0'?>", #"<?xml version="1.1" encoding='utf-8' ?>"#,
        "\u{FEFF}<?xml version=\"1.0\" standalone=\"no\"?>",
        "<!-- by hand -->",
    ])
    func declarations(_ declaration: String) throws {
        let model = try Model(xml: declaration + #"<model><entity name="E"/></model>"#, file: "contents")
        #expect(model.entity(named: "E") != nil)
    }
}
