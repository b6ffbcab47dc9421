import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { parseManifest } from '#core/model/manifest-json.ts';
import type { EngineAnswer, EngineRequest } from '#encoder/engine/serving.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const VIEW: EngineRequest['view'] = { kind: 'result', format: 'json', options: {} };
const INPUTS = Array.from({ length: 8 }, (_, at) => ({ text: 'a fine day '.repeat(1 + at * 3) }));

const logitsOf = ({ results }: EngineAnswer): number[] =>
  results.flatMap((bytes) => (JSON.parse(Buffer.from(bytes).toString()) as { logits: number[] }).logits);

test('large texts have the same results with only one additional thread, even after the file was replaced', async () => {
  const path = join(folder(), 'model');
  cpSync(builtAssets('sentiment'), path, { recursive: true });
  const plain = await openServingEngine(path, { limits: DEFAULT_LIMITS, workers: 1 });
  const expected = await plain.run({ inputs: INPUTS, view: VIEW });
  await plain.close();

  // With this many heads, texts of more than 17 tokens are large.
  const manifest = parseManifest(readFileSync(join(path, 'manifest.json')));
  writeFileSync(join(path, 'manifest.json'), JSON.stringify({ ...manifest, attentionHeads: 100_000 }));
  const threads: Worker[] = [];
  const seen = (worker: Worker): void => void threads.push(worker);
  process.on('worker', seen);
  try {
    for (const isReplaced of [false, true]) {
      threads.length = 0;
      // The warm-up texts are not large.
      const limits = { ...DEFAULT_LIMITS, maxBatchTokens: 8 };
      const engine = await openServingEngine(path, { limits, workers: 1 });
      try {
        if (isReplaced) await rename(join(path, 'weights.bin'), join(path, 'old.bin'));
        const answers = await Promise.all([1, 2].map(() => engine.run({ inputs: INPUTS, view: VIEW })));
        for (const answer of answers) {
          expect(answer.tokens).toEqual(expected.tokens);
          const actual = logitsOf(answer);
          for (const [at, value] of logitsOf(expected).entries()) expect(actual[at]).toBeCloseTo(value, 4);
        }
        expect(threads).toHaveLength(isReplaced ? 1 : 2);
      } finally {
        await engine.close();
      }
    }
  } finally {
    process.off('worker', seen);
  }
});
