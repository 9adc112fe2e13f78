// IDs, values and models are part of this library's own signatures, so a client that imports it imports them as well.
@_exported public import TributaryChanges
@_exported public import TributaryModel
