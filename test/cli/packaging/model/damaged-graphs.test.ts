import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withOnnxRuntime } from '#cli/adapters/onnxruntime.ts';
import { optimizeGraph } from '#cli/packaging/model/optimize-graph.ts';
import { prepareGraph } from '#cli/packaging/model/prepare-graph.ts';
import { graphOutputs } from '#cli/packaging/model/graph-outputs.ts';
import { convertsIntegerWeights } from '#cli/packaging/onnx/converts-integer-weights.ts';
import { AppError } from '#contract/errors.ts';
import { withFileSource } from '#platform/file-source.ts';
import { damageBytes, damageGraph } from '../../../helpers/mutated-graph.ts';
import { embedderTokenizer } from '../../../helpers/embedder-tokenizer.ts';
import { graphRequest } from '../../../helpers/graph-request.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const GRAPHS = ['opset-11', 'opset-21', 'pooler-output', 'unknown-rank', 'float16-product'];
/** The same graphs in every run; increase the number after a change to the parsing code. */
const COUNT = Number(process.env['FUZZ_GRAPHS'] ?? 8);
const FIRST = Number(process.env['FUZZ_FIRST'] ?? 0);

/** Writes the damaged graph for a seed; half of them are valid messages. */
function damaged(seed: number): string {
  const graph = GRAPHS[seed % GRAPHS.length] ?? '';
  const file = new Uint8Array(readFileSync(join(FIXTURES, 'graphs', `${graph}.onnx`)));
  const path = join(folder(), 'model.onnx');
  writeFileSync(path, seed % 2 === 0 ? damageBytes(file, seed) : damageGraph(file, seed));
  return path;
}

/** The outcome of `use`: no error, a one-sentence error for the user, or an outcome that must never occur in a build. */
async function endOf(use: () => unknown): Promise<'no error' | 'clear error' | { unclear: string }> {
  try {
    await use();
    return 'no error';
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'ConfigError') return { unclear: String(error) };
    const isClear =
      error.message.includes('model.onnx') && !/\n|^ +at |onnxruntime_src|unexpectedly/.test(error.message);
    return isClear ? 'clear error' : { unclear: error.message };
  }
}

test('damaged graphs cause only expected errors before ONNX Runtime starts', async () => {
  const unclear: [seed: number, end: object][] = [];
  for (let seed = 0; seed < COUNT * 40; seed++) {
    const path = damaged(seed);
    const read = (): Promise<boolean> => withFileSource(path, convertsIntegerWeights);
    for (const end of [await endOf(() => graphOutputs(path)), await endOf(read)])
      if (typeof end === 'object') unclear.push([seed, end]);
  }
  expect(unclear).toEqual([]);
});

test('a build of a damaged graph fails with a one-sentence error', { timeout: 600_000 }, async () => {
  const tokenizer = await embedderTokenizer();
  const ends: (readonly [seed: number, end: unknown])[] = [];
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const request = graphRequest(damaged(seed));
    const prepare = (): Promise<unknown> =>
      withOnnxRuntime((runtime) =>
        prepareGraph(runtime, request, tokenizer, optimizeGraph(runtime, request, folder()), folder()),
      );
    ends.push([seed, await endOf(prepare)]);
  }
  expect(ends.filter(([, end]) => typeof end === 'object')).toEqual([]);
  expect(ends.filter(([, end]) => end === 'clear error').length).toBeGreaterThan(COUNT / 3);
});
