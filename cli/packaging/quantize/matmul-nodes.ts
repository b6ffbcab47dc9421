import { create } from '@bufbuild/protobuf';
import {
  type AttributeProto,
  type ModelProto,
  type NodeProto,
  NodeProtoSchema,
  OperatorSetIdProtoSchema,
  type TensorProto,
  TensorProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { ints } from '#core/onnx/attributes.ts';
import { floatConstant, integerConstant } from '#core/onnx/constants.ts';
import { UINT8 } from '#core/onnx/element-types.ts';
import { formName, type MatMul } from './find-matmuls.ts';
import type { RoundedGroup } from './round-group.ts';

/** The domain of ONNX Runtime's own operators. */
export const FUSED = 'com.microsoft';

/** Declares ONNX Runtime's own operators, if the graph does not use them yet. */
export function declareFused({ opsetImport }: ModelProto): void {
  if (!opsetImport.some(({ domain }) => domain === FUSED))
    opsetImport.push(create(OperatorSetIdProtoSchema, { domain: FUSED, version: 1n }));
}

/**
 * How hidden states are rounded: with a scale for each token, or with a constant scale. A constant
 * scale is faster, and is accurate enough if the largest values of all tokens are similar.
 * `largest` is the largest value that the constant scale can represent.
 */
export type Scaling = { readonly kind: 'token' } | { readonly kind: 'constant'; readonly largest: number };

const FUSED_OPERATORS = new Set(['MatMulIntegerToFloat', 'BiasGelu']);

const LARGEST = 127;
/** The integer that represents 0 in hidden states, which are rounded to unsigned integers. */
const ZERO = create(TensorProtoSchema, {
  name: 'zero_of_integers',
  dataType: UINT8,
  rawData: Uint8Array.of(128),
});

/**
 * Creates the nodes of integer matrix multiplications, which replace those in float32. Results keep
 * their names.
 */
export class MatMulNodes {
  readonly #opset: number;
  readonly #added: Map<string, TensorProto>;
  /** Hidden states that have already been rounded for another multiplication. */
  readonly #rounded = new Set<string>();
  #nodes: NodeProto[] = [];

  /** New tensors are added to `added`. */
  constructor(opset: number, added: Map<string, TensorProto>) {
    this.#opset = opset;
    this.#added = added;
  }

  /**
   * Returns the nodes that replace a matrix multiplication. Hidden states that several
   * multiplications read are rounded before the first one. `activated` is the name of the result
   * after Gelu if multiplication and Gelu are computed together.
   */
  write(
    matmul: MatMul,
    { factors, matrices }: RoundedGroup,
    scaling: Scaling,
    activated?: string,
  ): NodeProto[] {
    this.#nodes = [];
    const { input, bias, result } = matmul;
    const matrix = matrices.get(formName(matmul));
    if (!matrix) throw new Error(`${matmul.weight.name} was not rounded`);
    const { integers, scales } = matrix;
    for (const tensor of [integers, scales]) this.#added.set(tensor.name, tensor);
    const zero = this.#constant(ZERO);
    if (scaling.kind === 'constant') {
      const step = scaling.largest / LARGEST;
      const rounded = this.#roundTogether(input, factors, step, zero);
      const inputs = [rounded, integers.name, this.#float(step), scales.name, zero, '', bias ?? ''];
      this.#op('MatMulIntegerToFloat', inputs.slice(0, bias === undefined ? -2 : undefined), result);
      return this.#nodes;
    }
    const { rounded, largest } = this.#roundByToken(input, factors, zero);
    const unscaled = this.#op(
      'MatMulIntegerToFloat',
      [rounded, integers.name, this.#float(1 / LARGEST), scales.name, zero],
      `${result}_unscaled`,
    );
    if (bias === undefined) this.#op('Mul', [unscaled, largest], result);
    else {
      const scaled = this.#op('Mul', [unscaled, largest], `${result}_scaled`);
      if (activated === undefined) this.#op('Add', [scaled, bias], result);
      else this.#op('BiasGelu', [scaled, bias], activated);
    }
    return this.#nodes;
  }

  /** Rounds with one step size for all tokens. */
  #roundTogether(input: string, factors: Float32Array, step: number, zero: string): string {
    const rounded = `${input}_rounded`;
    if (this.#isFirst(rounded)) {
      const steps = this.#floats(
        `${input}_steps`,
        factors.map((factor) => 1 / (factor * step)),
      );
      const divided = this.#op('Mul', [input, steps], `${input}_in_steps`);
      this.#op('QuantizeLinear', [divided, this.#float(1), zero], rounded);
    }
    return rounded;
  }

  /**
   * Rounds with a scale for each token. Returns each token's largest absolute value, which
   * determines the scale.
   */
  #roundByToken(input: string, factors: Float32Array, zero: string): { rounded: string; largest: string } {
    const [rounded, largest] = [`${input}_rounded`, `${input}_largest`];
    if (this.#isFirst(rounded)) {
      const inverse = this.#floats(
        `${input}_factors`,
        factors.map((factor) => 1 / factor),
      );
      const smoothed = this.#op('Mul', [input, inverse], `${input}_smoothed`);
      const max = this.#extreme('ReduceMax', smoothed, `${input}_max`);
      const min = this.#extreme('ReduceMin', smoothed, `${input}_min`);
      const negated = this.#op('Neg', [min], `${input}_negated`);
      // Avoids a division by 0 for tokens whose values are all 0.
      this.#op('Max', [max, negated, this.#float(1e-9)], largest);
      const divided = this.#op('Div', [smoothed, largest], `${input}_divided`);
      this.#op('QuantizeLinear', [divided, this.#float(1 / LARGEST), zero], rounded);
    }
    return { rounded, largest };
  }

  #isFirst(rounded: string): boolean {
    return this.#rounded.size !== this.#rounded.add(rounded).size;
  }

  /** Returns each token's minimum or maximum. */
  #extreme(opType: string, value: string, result: string): string {
    if (this.#opset < 18) return this.#op(opType, [value], result, ints('axes', [-1]));
    return this.#op(opType, [value, this.#constant(integerConstant('last_axis', [-1]))], result);
  }

  #op(opType: string, input: string[], result: string, ...attribute: AttributeProto[]): string {
    const domain = FUSED_OPERATORS.has(opType) ? FUSED : '';
    this.#nodes.push(
      create(NodeProtoSchema, { opType, domain, name: result, input, output: [result], attribute }),
    );
    return result;
  }

  #float(value: number): string {
    return this.#constant(floatConstant(`float_${value}`, Float32Array.of(value), []));
  }

  #floats(name: string, values: Float32Array): string {
    return this.#constant(floatConstant(name, values));
  }

  #constant(tensor: TensorProto): string {
    if (!this.#added.has(tensor.name)) this.#added.set(tensor.name, tensor);
    return tensor.name;
  }
}
