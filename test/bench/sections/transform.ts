import { createInterrupter } from '../../../runtime/platform/interrupt.ts';
import { loadNativeLibraries } from '../../../runtime/platform/native/libraries.ts';
import { loadOnnxRuntime, openOnnxSession } from '../../../runtime/platform/onnx/session.ts';
import { DEFAULT_TRANSFORM_LIMITS } from '../../../runtime/contract/transform.ts';
import type { ModelType } from '../../../runtime/contract/model-types.ts';
import { padBatch, feedsOf } from '../../../runtime/targets/encoder/engine/batch.ts';
import { type RawOutput, rowOf, shapeOfRow } from '../../../runtime/core/model/raw-output.ts';
import { openGraph } from '../serve/open-graph.ts';
import { openTransform, transformRow } from '../../../runtime/transform/transform.ts';
import { print, printGoal, printTable, ratio } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import type { Section } from './section.ts';

const TEXTS = 8;
const TOKENS = 64;
const ROUNDS = 15;
const RUNS = 5;

const TRANSFORMS: Record<string, { modelType: ModelType; source: string }> = {
  'returns its input': { modelType: 'embedding', source: 'function Postprocess(t) return t end' },
  'softmax(3)': { modelType: 'embedding', source: 'function Postprocess(t) return t:softmax(3) end' },
  'lp_normalize(2, 3)': {
    modelType: 'embedding',
    source: 'function Postprocess(t) return t:lp_normalize(2, 3) end',
  },
  'mean_pool(mask)': {
    modelType: 'sentence_embedding',
    source: 'function Postprocess(t, mask) return t:mean_pool(mask) end',
  },
};

/** The overhead of a transform per batch, in one thread like the model. */
export const transform: Section = {
  title: `Transforms of a batch of ${TEXTS} texts of ${TOKENS} tokens`,
  linuxOnly: false,
  async run(bench) {
    const native = await loadNativeLibraries();
    const { manifest, body } = openGraph(await bench.executable('m6'));
    const session = openOnnxSession(loadOnnxRuntime(native.onnxruntime), {
      ...body,
      threads: 1,
      prepack: true,
      bfloat16: false,
    });
    const ids = Int32Array.from({ length: TOKENS }, (_, at) => 1000 + at);
    const feeds = feedsOf(
      padBatch(
        Array.from({ length: TEXTS }, () => ({ ids })),
        0,
      ),
      manifest.inputs,
    );
    const runModel = (): RawOutput => {
      const { data, dims } = session.run(feeds, manifest.output);
      return { data: Float32Array.from(data as Float32Array), dims };
    };
    const output = runModel();
    const contestants: Record<string, () => Promise<number>> = { model: () => timed(runModel) };
    for (const [name, { modelType, source }] of Object.entries(TRANSFORMS)) {
      const settings = { name, firstLine: 1, libraries: [], limits: DEFAULT_TRANSFORM_LIMITS };
      const opened = await openTransform(
        { source, ...settings },
        { wasm: native.lua, print, interrupter: createInterrupter() },
      );
      contestants[name] = () =>
        timed(() => {
          for (let row = 0; row < TEXTS; row++) {
            const raw = { data: rowOf(output, row, TOKENS), shape: shapeOfRow(output, TOKENS) };
            transformRow(opened, modelType, raw);
          }
        });
    }
    const times = await interleave(contestants, ROUNDS);
    const share = (name: string): number => median(times[name] ?? []) / median(times['model'] ?? []);
    print(`${ROUNDS} rounds of ${RUNS} runs, contestants interleaved; medians.\n`);
    printTable(
      ['m6', 'ms a batch', 'of the model'],
      Object.keys(contestants).map((name) => [
        name,
        median(times[name] ?? []).toFixed(2),
        ratio(share(name)),
      ]),
    );
    const worst = Math.max(...Object.keys(TRANSFORMS).map(share));
    printGoal('less than 0.10 of the time of the model', `${ratio(worst)} at most`, worst < 0.1);
  },
};

function timed(run: () => unknown): Promise<number> {
  const started = performance.now();
  for (let count = 0; count < RUNS; count++) run();
  return Promise.resolve((performance.now() - started) / RUNS);
}
