import Tributary

func nameless() -> ObjectPredicate {
    #if MISUSE
        return Employee.keys.name < nil  // error:
    #endif
    return Employee.keys.name < ""
}
