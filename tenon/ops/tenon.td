// Tenon's own dialect: what the compiler's passes add to a program.
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tenon/ops/common.td"

def Tenon_Dialect : Dialect {
  let name = "tenon";
  let cppNamespace = "::tenon::ir";
  let summary = "structure that Tenon's passes give a program";
  let useDefaultAttributePrinterParser = 1;
}

class Tenon_Op<string mnemonic, list<Trait> traits = []> : Op<Tenon_Dialect, mnemonic, traits>;

def FusionKind : I32EnumAttr<"FusionKind", "what a fusion is emitted as", [
  I32EnumAttrCase<"Loop", 0, "loop">,                // elementwise over one iteration space
  I32EnumAttrCase<"Reduce", 1, "reduce">,            // a reduction with what feeds it
  I32EnumAttrCase<"Rows", 2, "rows">,                // several passes over rows that fit the cache: softmax, norms
  I32EnumAttrCase<"Dot", 3, "dot">,                  // a matrix product with its epilogue
  I32EnumAttrCase<"Convolution", 4, "convolution">,  // a convolution with its epilogue
  I32EnumAttrCase<"Attention", 5, "attention">       // fusions: a product, rows of it, and a product with these
]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tenon::ir";
}
def FusionKindAttr : EnumAttr<Tenon_Dialect, FusionKind, "fusion_kind">;

def FusionOp : Tenon_Op<"fusion",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, OpAsmOpInterface]> {
  let summary = "ordinary operations that become one kernel";
  let description = [{
    The body's arguments stand for the operands, in order and of the same types; `tenon.yield` gives the results.

    ```mlir
    %r = tenon.fusion loop(%x = %a, %y = %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %y : tensor<4xf32>
      tenon.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, FusionKindAttr:$kind);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    // With an empty body block that has one argument an input; the caller fills it in and ends it with a yield.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs, "::tenon::ir::FusionKind":$kind)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    // The terminator, a YieldOp.
    ::mlir::Operation *getYield() { return getBlock().getTerminator(); }
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName);
  }];
}

def YieldOp : Tenon_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"FusionOp">]> {
  let summary = "ends a fusion's body";
  let arguments = (ins Variadic<AnyTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}
