import Glibc
import Testing
import TributaryAdmin

@testable import TributaryDaemon

/// Whether the doctor blames another program for an address only when another program has it.
@Suite struct ListeningTests {
    @Test func anotherProgramHasTheAddress() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(descriptor >= 0)
        var place = sockaddr_in()
        (place.sin_family, place.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7f00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                Glibc.bind(descriptor, place, size) | listen(descriptor, 1) | getsockname(descriptor, place, &size)
            }
        }
        #expect(status == 0)
        let address = try #require(LoopbackAddress("127.0.0.1:\(UInt16(bigEndian: place.sin_port))"))
        #expect(Doctor.reasonNotToListen(on: address) == EADDRINUSE)
        close(descriptor)
        #expect(Doctor.reasonNotToListen(on: address) == nil)
    }

    /// The user of the service may not have the port, which nobody else has either.
    @Test func aPortOfRootIsNoOtherProgram() throws {
        if geteuid() == 0 { try Test.cancel("root may listen at each port") }
        let address = try #require(LoopbackAddress("127.0.0.1:1"))
        #expect([EACCES, nil].contains(Doctor.reasonNotToListen(on: address)))
    }
}
