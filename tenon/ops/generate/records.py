"""The operations as plain data, from TableGen's records as JSON (llvm-tblgen --dump-json)."""

import json
import re
from dataclasses import dataclass, field

# The files of the records, in the order in which their operations are shown.
TOPICS = ["elementwise", "shape", "reduction", "linear_algebra", "control", "collective", "dynamic", "chlo"]

# Words that are reserved in C++ or Python: the functions of these operations end in an underscore.
RESERVED = {"and", "or", "not", "xor", "if", "case", "while"}

# Operations whose records do not say their results' types. "result": the caller gives it, "results": several.
# "element": the shape follows from the operands, and the caller gives the element type, or may.
RESULTS = {
    "stablehlo.all_gather": "inferred", "stablehlo.reduce_scatter": "inferred",
    "stablehlo.convert": "element", "stablehlo.uniform_quantize": "element",
    "stablehlo.dot_general": "optional element", "stablehlo.dot": "optional element",
    "stablehlo.convolution": "optional element",
    "stablehlo.composite": "results", "stablehlo.custom_call": "results", "stablehlo.infeed": "results",
    "stablehlo.recv": "results",
    "stablehlo.rng_bit_generator": "state and result",
} | {name: "result" for name in (
    "chlo.ragged_dot", "stablehlo.bitcast_convert", "stablehlo.broadcast_in_dim", "stablehlo.dynamic_broadcast_in_dim",
    "stablehlo.dynamic_conv", "stablehlo.dynamic_gather", "stablehlo.dynamic_iota", "stablehlo.dynamic_pad",
    "stablehlo.dynamic_reshape", "stablehlo.einsum", "stablehlo.iota", "stablehlo.real_dynamic_slice",
    "stablehlo.reshape", "stablehlo.torch_index_select", "stablehlo.unary_einsum")}

# Operations that may have no operand at all: their functions take the builder.
MAY_BE_EMPTY = {"stablehlo.after_all", "stablehlo.composite", "stablehlo.custom_call", "stablehlo.tuple"}

# Kinds of attributes by the name of their record. What is in none of the lists is given as text.
KINDS = {
    "I64Attr": "i64", "I32Attr": "i32", "CustomCallApiVersionAttr": "i32", "BoolAttr": "bool", "UnitAttr": "unit",
    "F32Attr": "f32", "StrAttr": "string", "FlatSymbolRefAttr": "symbol", "DenseI64ArrayAttr": "i64s",
    "DenseBoolArrayAttr": "bools", "I64List": "matrix", "ReplicaGroups": "matrix", "ElementsAttr": "literal",
}


@dataclass
class Parameter:
    name: str
    kind: str  # value, values, region, regions, or an attribute's
    type: str = ""  # the enumeration, or the structure
    optional: bool = False
    default: str = ""  # of an optional attribute that is always given


@dataclass
class Op:
    name: str  # "stablehlo.dot_general"
    text: str
    result: str
    operands: list = field(default_factory=list)
    attributes: list = field(default_factory=list)
    regions: list = field(default_factory=list)
    results: list = field(default_factory=list)  # names; one that ends in * is of any number
    rule: str = "inferred"
    elementwise: bool = False

    @property
    def function(self):
        stem = self.name.split(".")[1].replace("-", "_")
        return stem + "_" if stem in RESERVED else stem

    @property
    def needs_builder(self):
        return self.name in MAY_BE_EMPTY or not self.operands

    @property
    def single(self):
        return len(self.results) == 1 and not self.results[0].endswith("*")

    @property
    def options(self):
        """Whether the optional attributes are the fields of a structure: where there are several that are no scalars,
        or more than two."""
        lists = [a for a in self.optional if a.kind not in ("bool", "i32", "i64", "unit", "enum")]
        return len(lists) > 1 or len(self.optional) > 2

    @property
    def options_name(self):
        return "".join(part.capitalize() for part in self.function.strip("_").split("_")) + "Options"

    @property
    def required(self):
        return [a for a in self.attributes if not a.optional]

    @property
    def optional(self):
        return [a for a in self.attributes if a.optional]


@dataclass
class Enum:
    name: str
    mnemonic: str
    text: str
    cases: list  # (name, number)


@dataclass
class Struct:
    name: str
    mnemonic: str
    text: str
    fields: list  # (name, whether it is a list)
    raw: bool  # convolution's: the word before the fields
    whole: bool  # fields of zero are written, too


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), name)


class Records:
    """One dialect's records, and what its operations are made of."""

    def __init__(self, path, dialect):
        with open(path) as file:
            self.records = json.load(file)
        self.dialect = dialect
        self.enums, self.structs = {}, {}

    def supers(self, name):
        return self.records[name]["!superclasses"]

    def names(self, base):
        return self.records["!instanceof"].get(base, [])

    def ops(self):
        """Those whose records say what they do, by topic and in the order of the records."""
        names = self.names({"stablehlo": "Stablehlo_Op", "chlo": "Chlo_Op"}[self.dialect])
        for name in sorted(names, key=self.place):
            record = self.records[name]
            if "Document" in record["!superclasses"]:
                full = f"{self.dialect}.{record['opName']}"
                yield self.op(record, full, record["documentText"], record["documentResult"])
            elif self.dialect == "stablehlo" and record["opName"] != "return":
                raise SystemExit(f"stablehlo.{record['opName']}: its record does not say what it does (Document in common.td)")

    def place(self, name):
        file, line = self.records[name]["!locs"][0].split(":")
        return TOPICS.index(file.removesuffix(".td")), int(line)

    def op(self, record, name, text, result):
        op = Op(name, text, result)
        for (argument, argument_name) in record["arguments"]["args"]:
            kinds = self.supers(argument["def"])
            if "Attr" in kinds:
                attribute = self.attribute(argument["def"], argument_name)
                op.attributes.append(attribute)
            else:
                op.operands.append(Parameter(argument_name, "values" if "Variadic" in kinds else "value"))
        for (region, region_name) in record["regions"]["args"]:
            variadic = "VariadicRegion" in self.supers(region["def"])
            if name != "stablehlo.composite":  # none of whose regions has a meaning
                op.regions.append(Parameter(region_name, "regions" if variadic else "region"))
        for (kind, result_name) in record["results"]["args"]:
            op.results.append(result_name + ("*" if "Variadic" in self.supers(kind["def"]) else ""))
        inferred = any("InferTypeOpAdaptorBase" in self.supers(trait["def"]) for trait in record["traits"])
        if not inferred and name not in RESULTS:
            raise SystemExit(f"{name}: nothing says what the types of its results are (RESULTS in records.py)")
        op.elementwise = any("ElementwiseFamily" in self.supers(trait["def"]) for trait in record["traits"])
        op.rule = "inferred" if inferred else RESULTS[name]
        return op

    def attribute(self, name, parameter):
        optional, default = False, ""
        while True:
            record = self.records[name]
            kinds = record["!superclasses"]
            if any(kind.startswith("DefaultValued") for kind in kinds):
                optional, default = True, record["defaultValue"]
            elif "OptionalAttr" in kinds:
                optional = True
            elif "A" not in kinds:
                break
            name = record["baseAttr"]["def"]
        if name.startswith("anonymous"):
            return Parameter(parameter, "text", "", optional)
        kind = KINDS.get(name)
        if kind == "unit":
            return Parameter(parameter, kind, "", True, "false")
        if kind:
            if name == "CustomCallApiVersionAttr":
                default = "1"  # the default of its record, API_VERSION_ORIGINAL
            plain = kind in ("i64", "i32", "bool") and re.fullmatch(r"-?\d+|true|false", default)
            return Parameter(parameter, kind, "", optional, default if plain else "")
        if name == "PrecisionConfigAttr":
            return Parameter(parameter, "enums", self.enum("Precision"), optional)
        if "EnumAttr" in kinds and "AttrDef" in kinds:
            enum = self.enum(self.records[name]["enum"]["def"])
            # The only optional one, compare_type, says by a value of its own that there is none.
            return Parameter(parameter, "enum", enum, optional, "NOTYPE" if optional else "")
        if "AttrDef" in kinds and all(self.is_plain(field) for field, _ in record["parameters"]["args"]):
            return Parameter(parameter, "struct", self.struct(name), optional)
        return Parameter(parameter, "text", "", optional)

    def enum(self, name):
        found = next(attr for attr in self.names("EnumAttr") if self.records[attr]["enum"]["def"].endswith(name))
        info = self.records[self.records[found]["enum"]["def"]]
        cases = [self.records[case["def"]] for case in info["enumerants"]]
        self.enums[info["className"]] = Enum(info["className"], f"{self.dialect}<{self.records[found]['mnemonic']} ",
                                             info["summary"], [(case["symbol"], case["value"]) for case in cases])
        return info["className"]

    def is_plain(self, parameter):
        return parameter == "int64_t" or (isinstance(parameter, dict) and
                                          "DimensionList" in self.supers(parameter["def"]))

    def struct(self, name):
        record = self.records[name]
        # The field form of text.
        fields = [(snake(field_name), kind != "int64_t") for kind, field_name in record["parameters"]["args"]]
        self.structs[record["cppClassName"].removesuffix("Attr")] = Struct(
            record["cppClassName"].removesuffix("Attr"), f"#{self.dialect}.{record['mnemonic']}<", record["summary"],
            fields, record["mnemonic"] == "conv", "struct(params)" in (record["assemblyFormat"] or ""))
        return record["cppClassName"].removesuffix("Attr")


def read(stablehlo, chlo):
    """(operations, enumerations, structures)."""
    ops, enums, structs = [], {}, {}
    for records in (Records(stablehlo, "stablehlo"), Records(chlo, "chlo")):
        ops += records.ops()
        enums |= {name: enum for name, enum in records.enums.items() if name not in enums}
        structs |= records.structs
    return ops, enums, structs
