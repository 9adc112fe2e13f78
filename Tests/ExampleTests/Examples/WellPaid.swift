import Foundation
import Tributary

/// One question in three ways: as text, with keys that the compiler checks, and with Foundation's macro.
func wellPaid(in city: String, above salary: Double) throws -> [ObjectPredicate] {
    [
        try ObjectPredicate(
            parsing: "salary > %f AND company.city == %@",
            arguments: [.value(.double(salary)), .value(.string(city))]
        ),
        Employee.keys.salary > salary && Employee.keys.company.city == city,
        try ObjectPredicate(
            #Predicate<Employee> { employee in
                employee.salary ?? 0 > salary && employee.company?.city == city
            }
        ),
    ]
}
