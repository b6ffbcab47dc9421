import { lookup } from '#core/values/lookup.ts';
import type { GraphProto, NodeProto, TensorProto } from '#gen/onnx/v1/onnx_pb.ts';
import { readNumber } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { pushAll } from '#core/values/push-all.ts';

/** A multiplication of hidden states by a constant matrix. */
export interface MatMul {
  /** Name of the result. */
  readonly result: string;
  /** Name of the hidden states. */
  readonly input: string;
  readonly weight: TensorProto;
  /** Number of rows of the matrix, which is the width of the hidden states. */
  readonly inputs: number;
  readonly outputs: number;
  /** Whether the matrix is stored as outputs x inputs. */
  readonly isTransposed: boolean;
  /** Factor by which the product is scaled. */
  readonly alpha: number;
  /** Name of a vector that is added to each row. */
  readonly bias: string | undefined;
}

/**
 * Matrix multiplications that share their hidden states or their matrix, and must therefore use the
 * same vector of factors.
 */
export interface MatMulGroup {
  readonly inputs: readonly string[];
  readonly matmuls: readonly MatMul[];
}

/**
 * Minimum size of matrices to quantize. Smaller matrices, for example of heads, take little time
 * and space.
 */
export const MIN_ELEMENTS = 65_536;
/**
 * Minimum width of matrices to quantize. For narrower matrices, the conversions take longer than
 * the multiplication.
 */
const MIN_WIDTH = 32;

/** Finds a graph's matrix multiplications whose matrix is large enough to be stored as integers. */
export function findMatMuls(graph: GraphProto): MatMul[] {
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  return graph.node.flatMap((node) => {
    const form = FORMS[node.opType]?.(node);
    const [input = '', matrix = '', bias = ''] = node.input;
    const [result = ''] = node.output;
    const weight = weights.get(matrix);
    if (!form || !weight || weight.dataType !== FLOAT32 || weight.dims.length !== 2) return [];
    const [rows = 0, columns = 0] = weight.dims.map(Number);
    const [inputs, outputs] = form.isTransposed ? [columns, rows] : [rows, columns];
    if (rows * columns < MIN_ELEMENTS || Math.min(rows, columns) < MIN_WIDTH) return [];
    const hasBias = bias !== '';
    // Checks the shape, because Gemm can also add matrices and scalars.
    if (hasBias && weights.get(bias)?.dims.join() !== String(outputs)) return [];
    return [{ result, input, weight, inputs, outputs, bias: hasBias ? bias : undefined, ...form }];
  });
}

/**
 * The name of a matrix in the form in which it is multiplied. The same tensor can be used as it is and
 * transposed, which are different matrices.
 */
export const formName = ({ weight, isTransposed, alpha }: MatMul): string =>
  isTransposed || alpha !== 1
    ? `${weight.name}_${isTransposed ? 'transposed' : 'scaled'}_${alpha}`
    : weight.name;

/** Groups matrix multiplications that share their input or their matrix. */
export function groupMatMuls(matmuls: readonly MatMul[]): MatMulGroup[] {
  const groups: { inputs: Set<string>; matrices: Set<string>; matmuls: MatMul[] }[] = [];
  for (const matmul of matmuls) {
    const { input } = matmul;
    const form = formName(matmul);
    const own = groups.filter(({ inputs, matrices }) => inputs.has(input) || matrices.has(form));
    const [group = { inputs: new Set(), matrices: new Set(), matmuls: [] }, ...others] = own;
    if (own.length === 0) groups.push(group);
    for (const other of others) {
      groups.splice(groups.indexOf(other), 1);
      for (const name of other.inputs) group.inputs.add(name);
      for (const name of other.matrices) group.matrices.add(name);
      pushAll(group.matmuls, other.matmuls);
    }
    group.inputs.add(input);
    group.matrices.add(form);
    group.matmuls.push(matmul);
  }
  return groups.map((group) => ({ inputs: [...group.inputs], matmuls: group.matmuls }));
}

type Form = Pick<MatMul, 'isTransposed' | 'alpha'>;

/** Returns how an operator multiplies; undefined if it does more than multiply rows by a matrix. */
const FORMS = lookup<(node: NodeProto) => Form | undefined>({
  MatMul: () => ({ isTransposed: false, alpha: 1 }),
  Gemm: (node) =>
    readNumber(node, 'transA', 0) === 0 && readNumber(node, 'beta', 1) === 1
      ? { isTransposed: readNumber(node, 'transB', 0) === 1, alpha: readNumber(node, 'alpha', 1) }
      : undefined,
  FusedMatMul: (node) =>
    ['transA', 'transBatchA', 'transBatchB'].every((name) => readNumber(node, name, 0) === 0)
      ? { isTransposed: readNumber(node, 'transB', 0) === 1, alpha: readNumber(node, 'alpha', 1) }
      : undefined,
});
