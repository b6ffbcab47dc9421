import type { Manifest } from '#contract/manifest.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { describeShape, type Tensor } from '#core/tensor/tensor.ts';
import { nest, type NestedNumbers } from '#core/tensor/convert.ts';
import type { ResultKind } from '#transform/check-result.ts';
import { describe } from '#core/yaml/describe.ts';
import { alignColumns } from '../text.ts';
import type { TestedText } from './tested-text.ts';
import { argmax } from '#core/numbers/argmax.ts';
import { greatest } from '#core/numbers/extremes.ts';

export interface TransformTestResult {
  readonly config: string;
  readonly manifest: Manifest;
  readonly texts: readonly TestedText[];
}

interface JsonTensor {
  readonly shape: readonly number[];
  readonly values: NestedNumbers;
}

/** Creates the JSON result, which contains all numbers. */
export interface TransformTestJson {
  readonly config: string;
  readonly modelType: string;
  readonly id2label?: Readonly<Record<string, string>>;
  readonly texts: readonly {
    readonly text: string;
    readonly tokens: readonly string[];
    readonly input: JsonTensor & { readonly name: string };
    readonly mask?: JsonTensor;
    readonly output: JsonTensor & { readonly kind: ResultKind };
  }[];
}

export function transformTestJson({ config, manifest, texts }: TransformTestResult): TransformTestJson {
  const { modelType, id2label, output: name } = manifest;
  return {
    config,
    modelType,
    ...(id2label ? { id2label } : {}),
    texts: texts.map(({ text, tokens, input, mask, output }) => ({
      text,
      tokens,
      input: { name, ...jsonTensor(input) },
      ...(mask ? { mask: jsonTensor(mask) } : {}),
      output: { kind: output.kind, ...jsonTensor(output) },
    })),
  };
}

/**
 * Formats the result as text: shapes, and the first numbers for each token or label before and
 * after the transform.
 */
export function transformTestText({ manifest, texts }: TransformTestResult): string {
  return texts
    .map((tested) => {
      const { text, tokens, input, mask, output } = tested;
      const maskShape = mask ? `, mask ${describeShape(mask.shape)}` : '';
      return [
        alignColumns([
          ['Text', `${describe(text)}, ${tokens.length} tokens`],
          ['Input', `${manifest.output} ${describeShape(input.shape)}${maskShape}`],
          ['Output', `${output.kind} ${describeShape(output.shape)}`],
        ]),
        '',
        beforeAndAfter(tested, manifest.id2label),
      ].join('\n');
    })
    .join('\n\n\n');
}

const jsonTensor = (tensor: Tensor): JsonTensor => ({
  shape: tensor.shape,
  values: nest(tensor, shortestFloat32),
});

type Labels = Readonly<Record<string, string>> | undefined;
/** The cells of one line, aligned in columns. */
type Cells = readonly string[];

/** Maximum number of values to show per token or text, and maximum number of lines. */
const MAX_NUMBERS = 4;
const MAX_LINES = 40;
const DIGITS = 4;
const ARROW = '→';

/** Formats a table of a text's tokens or labels: their numbers before the transform, an arrow, and the numbers after it. */
function beforeAndAfter(tested: TestedText, labels: Labels): string {
  const { head, lines } =
    tested.input.shape.length === 3 ? perToken(tested, labels) : perText(tested, labels);
  const shown = lines.slice(0, MAX_LINES);
  const hidden = lines.length - shown.length;
  const rows = [...(head ? [head] : []), ...shown];
  const width = greatest(rows.map(({ length }) => length));
  return [
    alignColumns(
      rows.map((cells) => ['', ...Array.from({ length: width }, (_, column) => cells[column] ?? '')]),
    ),
    ...(hidden > 0 ? [`  and ${hidden} more; use --json to print all`] : []),
    ...verdict(tested, labels),
  ].join('\n');
}

interface Table {
  readonly head: Cells | undefined;
  readonly lines: readonly Cells[];
}

/** One line per token; a vector for the whole text gets its own line. */
function perToken({ tokens, input, mask, output }: TestedText, labels: Labels): Table {
  const width = input.shape.at(-1) ?? 0;
  const names = labels && firsts(Array.from({ length: width }, (_, index) => nameOf(index, labels)));
  const hasRows = output.shape.length === 3;
  const lines = tokens.map((token, row): Cells => {
    const before = [token, ...(mask ? [String(mask.data[row])] : []), ...numbers(rowOf(input, row))];
    if (hasRows) {
      const after = rowOf(output, row);
      return [...before, ARROW, ...numbers(after), ...(labels ? [nameOf(argmax(after), labels)] : [])];
    }
    if (output.kind === 'indices') return [...before, ARROW, nameOf(output.data[row] ?? 0, labels)];
    return before;
  });
  const after = output.kind === 'indices' ? ['label'] : [...(names ?? []), ...(labels ? ['label'] : [])];
  return {
    head: names ? ['token', ...names, ARROW, ...after] : mask ? ['token', 'mask'] : undefined,
    lines: hasRows || output.kind === 'indices' ? lines : [...lines, [ARROW, '', ...numbers(output.data)]],
  };
}

/** One line per label, or one line for the vector of the text. */
function perText({ input, output }: TestedText, labels: Labels): Table {
  if (output.kind === 'vectors') {
    return { head: undefined, lines: [[...numbers(input.data), ARROW, ...numbers(output.data)]] };
  }
  const lines = Array.from(input.data, (before, index): Cells => {
    const after = output.kind === 'scores' ? [ARROW, format(output.data[index] ?? 0)] : [];
    return [nameOf(index, labels), format(before), ...after];
  });
  return { head: undefined, lines };
}

/** Formats the label of a whole text. */
function verdict({ input, output }: TestedText, labels: Labels): string[] {
  if (input.shape.length === 3 || output.kind === 'vectors') return [];
  const index = output.kind === 'indices' ? (output.data[0] ?? 0) : argmax(output.data);
  return ['', `${ARROW} ${nameOf(index, labels)}`];
}

const nameOf = (index: number, labels: Labels): string => labels?.[index] ?? String(index);

function rowOf({ data, shape }: Tensor, row: number): Float32Array {
  const width = shape.at(-1) ?? 0;
  return data.subarray(row * width, (row + 1) * width);
}

const numbers = (values: Float32Array): Cells =>
  firsts(Array.from(values.subarray(0, MAX_NUMBERS + 1), format));

function firsts(cells: Cells): Cells {
  return cells.length > MAX_NUMBERS ? [...cells.slice(0, MAX_NUMBERS), '...'] : cells;
}

const format = (value: number): string => String(Number(value.toPrecision(DIGITS)));
