import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  writeAnswerLogits,
  writeGraph,
  writeHiddenStates,
  type WriteOutput,
  writeTextLogits,
  writeTokenLogits,
  writeVocabularyLogits,
} from '#cli/packaging/architectures/write-graph.ts';
import { selectRowEarly, selectRowsByInput } from '#cli/packaging/onnx/select-row-early.ts';
import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import { largestDifference } from '../../../helpers/close.ts';
import { editGraph } from '../../../helpers/edited-graph.ts';
import { writeGpuForm } from '../../../helpers/gpu-form.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

const folder = useTempFolder();

type Numbers = number | readonly Numbers[];
interface Golden {
  readonly ids: readonly (readonly number[])[];
  readonly hidden: Numbers;
  readonly text?: Numbers;
  readonly tokens?: Numbers;
  readonly answers?: Numbers;
  readonly masked?: Numbers;
  /** Vectors of the tokens that no other token attends to. */
  readonly padding?: Numbers;
}
const readGolden = (name: string) =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', name), 'utf8')) as Record<string, Golden>;
/** Transformers 4 and 5 write different keys to config.json; other models are not part of transformers. */
const GOLDEN = {
  ...readGolden('architectures.json'),
  ...readGolden('architectures-5.json'),
  ...readGolden('architectures-remote.json'),
};

type Part = 'hidden' | 'padding' | 'text' | 'tokens' | 'answers' | 'masked';
const OUTPUTS: [part: Part, write: WriteOutput, output: string][] = [
  ['hidden', writeHiddenStates, 'last_hidden_state'],
  ['padding', writeHiddenStates, 'last_hidden_state'],
  ['text', writeTextLogits, 'logits'],
  ['tokens', writeTokenLogits, 'logits'],
  ['answers', writeAnswerLogits, 'logits'],
  ['masked', writeVocabularyLogits, 'logits'],
];

const runtime = useOnnxRuntime();

/** Runs a generated graph after ONNX Runtime has optimized it, as in a build, and its form for GPUs. */
async function run(model: string, write: WriteOutput, output: string, ids: Golden['ids']) {
  const written = await writeGraph(
    { weights: join(model, 'model.safetensors'), config: join(model, 'config.json') },
    write,
    folder(),
  );
  const graph = join(folder(), 'graph.onnx');
  await runtime().optimize({ model: written, graph, weights: 'weights.bin', integers: undefined });
  const select =
    output === 'logits' ? selectRowEarly : (graph: GraphProto) => selectRowsByInput(graph, output);
  const selects = editGraph(graph, select);
  const request = { folder: folder(), inputs: inputNames(graph), output, ids, padId: 0 };
  const forms = [graph, writeGpuForm(graph)];
  const runForms = async (computedRows?: number) => {
    const results = [];
    for (const form of forms) results.push(await runtime().tryOut({ ...request, graph: form, computedRows }));
    return results;
  };
  return { results: await runForms(), selects, runForms };
}

const CASES = Object.entries(GOLDEN).flatMap(([name, golden]) =>
  OUTPUTS.flatMap(([part, write, output]) => {
    const expected = golden[part];
    // The reference for token vectors is the encoder of the model for texts, if the architecture has one.
    const vectors = golden.text === undefined ? 'hidden' : 'text';
    const source = output === 'logits' ? part : vectors;
    const model = join(FIXTURES, 'architectures', `${name}-${source}`);
    return expected === undefined ? [] : [{ name, part, write, output, model, ids: golden.ids, expected }];
  }),
);

test.each(CASES)('$name returns the same results as its Python code: $part', async (one) => {
  const { selects, results, runForms } = await run(one.model, one.write, one.output, one.ids);
  const expected = flatten(one.expected);
  for (const { data, dims } of results) {
    expect(largestDifference(rowsOf(data, dims, one), expected)).toBeLessThan(1e-5);
  }
  expect(expected.length).toBeGreaterThan(8);
  // The other logits have a row for each token.
  const isExpected =
    one.output === 'logits'
      ? one.part === 'text' && !OTHER_TOKENS.test(one.name)
      : !ALL_TOKENS.test(one.name);
  expect(selects).toBe(isExpected);
  if (!selects || one.part !== 'hidden') return;
  for (const rows of [1, 2]) {
    const wanted = one.ids.flatMap((_, text) => flatten(rowsOfText(one.expected, text).slice(0, rows)));
    for (const { data, dims } of await runForms(rows)) {
      expect(dims.slice(0, 2)).toEqual([one.ids.length, rows]);
      expect(largestDifference([...data], wanted)).toBeLessThan(1e-5);
    }
  }
});

/** Architectures whose logits for a text are computed from other tokens than the first. */
const OTHER_TOKENS = /^(?:bart|eurobert(?!-bos)|gemma|mistral|modernbert-mean|qwen|lfm2)/;

/** Architectures whose last layer needs all tokens. */
const ALL_TOKENS = /^nomic-moe/;

/** The vectors of the tokens of a text. */
const rowsOfText = (expected: Numbers, text: number): readonly Numbers[] => {
  const rows = typeof expected === 'number' ? undefined : expected[text];
  if (rows === undefined || typeof rows === 'number') throw new Error('the golden data has no rows');
  return rows;
};

const flatten = (value: Numbers): number[] => (typeof value === 'number' ? [value] : value.flatMap(flatten));

/** Returns the rows of the tokens or of the padding in each text; text logits have no padding. */
function rowsOf(
  data: Float32Array,
  dims: readonly number[],
  { ids, part }: (typeof CASES)[number],
): number[] {
  if (part === 'text') return [...data];
  const [, length = 0, width = 0] = dims;
  return ids.flatMap((row, at) => {
    const [from, to] = part === 'padding' ? [row.length, length] : [0, row.length];
    return [...data.subarray((at * length + from) * width, (at * length + to) * width)];
  });
}
