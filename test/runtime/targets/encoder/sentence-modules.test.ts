import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { runCliHere as runCli } from '../../../helpers/cli-here.ts';
import { expectClose } from '../../../helpers/close.ts';
import { DEFAULT_LIMITS } from '../../../helpers/default-limits.ts';
import { copyModules, readGoldenModules } from '../../../helpers/golden-modules.ts';
import { writeConfig } from '../../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { appAround } from './http/open-app.ts';

const folder = useTempFolder();
const { texts, models } = readGoldenModules();

describe.each(models)('a model with the modules of $name', (model) => {
  test('returns the same vectors and similarities as sentence-transformers', async () => {
    copyModules(folder(), model.name);
    const config = writeConfig(folder(), { model_type: 'sentence_embedding' });
    const args = ['build', '--no-build', '-q', '-f', config, '--cache-dir', TEST_CACHE];
    expect(await runCli(args, { cwd: folder() })).toMatchObject({ exitCode: 0, stderr: '' });
    const options = { limits: DEFAULT_LIMITS, workers: 1, threads: 1 };
    const open = appAround(await openServingEngine(join(folder(), 'model.assets'), options));
    try {
      const answer = async <Body>(path: string, body: unknown): Promise<Body> =>
        (await (await open.post(path, body)).json()) as Body;
      const vectors = async (prompt_name?: string): Promise<number[][]> =>
        (
          await answer<{ results: { embedding: number[] }[] }>('/predict', { inputs: texts, prompt_name })
        ).results.map(({ embedding }) => embedding);
      for (const [expected, actual] of [
        [model.vectors, await vectors()],
        [model.query, await vectors('query')],
      ] as const) {
        expect(actual).toHaveLength(texts.length);
        for (const [at, vector] of actual.entries()) expectClose(vector, expected[at], texts[at] ?? '');
      }
      const [source_sentence, ...sentences] = texts;
      const similarities = await answer<number[]>('/similarity', { inputs: { source_sentence, sentences } });
      expectClose(similarities, model.similarity, model.similarity_fn_name, 5e-5);
      const facts = await (await open.app.request('/model')).json();
      expect(facts).toMatchObject({ dimensions: model.dimensions });
      expect((facts as { similarity_fn_name?: string }).similarity_fn_name ?? 'cosine').toBe(
        model.similarity_fn_name,
      );
    } finally {
      await open.close();
    }
  });
});
