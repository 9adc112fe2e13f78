import Tributary

func old() -> ObjectPredicate {
    #if MISUSE
        return Employee.keys.name == 5  // error:
    #endif
    return Employee.keys.name == "5"
}
