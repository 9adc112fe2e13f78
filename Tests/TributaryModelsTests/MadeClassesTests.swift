import TestSupport
import Testing
import Tributary
import TributaryModel

/// The classes that the plugin makes of this target's models, in a container.
@Suite("Classes that the build makes")
struct MadeClassesTests {
    private static let folder = PackageFolder.path("Tests/TributaryModelsTests")

    @Test @MainActor func aModelInTheTargetIsAllThatAProgramWrites() async throws {
        let folder = try TemporaryFolder("made")
        let container = try await PersistentContainer(
            name: "shop",
            path: folder.path("store.sqlite"),
            model: try ShopModel.model(),
            classes: ShopModel.classes
        )
        let context = container.viewContext
        let product = try context.insert(Product.self)
        #expect(product.title == #""new" \path"#)
        product.title = "Hat"
        product.in = 3
        let order = try context.insert(Order.self)
        order.amount = 2
        order.product = product
        try context.save()
        #expect(product.label == "Hat (1)")
        #expect(product.snapshot().title == "Hat")
        #expect(try context.fetch(try FetchRequest<Order>(where: "product.in = %@", 3)).map(\.amount) == [2])
        try await container.close()
    }

    @Test func theModelInTheProgramIsTheOneInTheFile() throws {
        for (made, path) in [
            (try ShopModel.model(), "Shop.yaml"), (try StaffModel.model(), "Models/Staff.xcdatamodeld"),
        ] {
            let read = try Model(contentsOf: "\(Self.folder)/\(path)")
            #expect(made.version == read.version)
            #expect(made.versionHash == read.versionHash)
        }
        #expect(ShopModel.versionHash == (try ShopModel.model().versionHash))
        #expect(StaffModel.version == "Staff 2", "the version that .xccurrentversion names, not the last one")
    }

    /// The program carries the earlier versions of its model, so that a store of one of them is migrated.
    @Test @MainActor func aStoreOfAnEarlierVersionIsMigrated() async throws {
        let folder = try TemporaryFolder("made")
        let path = folder.path("store.sqlite")
        let first = try Model.versions(contentsOf: "\(Self.folder)/Models/Staff.xcdatamodeld")[0]
        let old = try await PersistentContainer(name: "staff", path: path, model: first)
        let ann = try old.viewContext.insert(entity: "Person")
        try ann.setValue(.string("Ann"), forKey: "name")
        try ann.setValue(.double(1200.5), forKey: "salary")
        try old.viewContext.save()
        try await old.close()

        let container = try await PersistentContainer(
            name: "staff",
            path: path,
            model: try StaffModel.model(),
            classes: StaffModel.classes
        )
        #expect(try container.viewContext.fetch(FetchRequest<Person>()).map(\.monthly) == [1200.5])
        let bob = try container.viewContext.insert(Person.self)
        #expect(bob.monthly == 1000, "the class of this target is the one in use")
        bob.name = "Bob"
        #expect(Person.Snapshot(bob).name == "Bob")
        try await container.close()
    }
}
