import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { runCliHere as runCli } from '../../../helpers/cli-here.ts';
import { expectClose } from '../../../helpers/close.ts';
import { DEFAULT_LIMITS } from '../../../helpers/default-limits.ts';
import { copyMultiVector, readGoldenMultiVector } from '../../../helpers/golden-multi-vector.ts';
import { writeConfig } from '../../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { appAround } from './http/open-app.ts';

const folder = useTempFolder();
const { queries, documents, models } = readGoldenMultiVector();

describe.each(models)('the ColBERT model $name', (model) => {
  test('returns the same vectors and scores as the library that saved it', async () => {
    copyMultiVector(folder(), model);
    const config = writeConfig(folder(), { model_type: 'multi_vector' });
    const args = ['build', '--no-build', '-q', '-f', config, '--cache-dir', TEST_CACHE];
    expect(await runCli(args, { cwd: folder() })).toMatchObject({ exitCode: 0, stderr: '' });
    const options = { limits: DEFAULT_LIMITS, workers: 1, threads: 1 };
    const open = appAround(await openServingEngine(join(folder(), 'model.assets'), options));
    try {
      const answer = async <Body>(path: string, body: unknown): Promise<Body> =>
        (await (await open.post(path, body)).json()) as Body;
      const vectors = async (inputs: readonly string[], input_type: string, normalize?: boolean) =>
        (
          await answer<{ results: { vectors: number[][] }[] }>('/predict', { inputs, input_type, normalize })
        ).results.map((result) => result.vectors);
      for (const [texts, role, expected] of [
        [queries, 'query', model.queries],
        [documents, 'document', model.documents],
      ] as const) {
        const actual = await vectors(texts, role);
        expect(actual.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
        for (const [at, rows] of actual.entries())
          expectClose(rows.flat(), (expected[at] ?? []).flat(), `${role} ${texts[at]}`);
      }
      if (model.raw) {
        const [raw = []] = await vectors(queries.slice(0, 1), 'query', false);
        expectClose(raw.flat(), model.raw.flat(), 'not normalized');
      }
      for (const [at, query] of queries.entries()) {
        const { results } = await answer<{ results: { index: number; relevance_score: number }[] }>(
          '/rerank',
          {
            query,
            documents,
          },
        );
        const scores = results.toSorted((a, b) => a.index - b.index).map((result) => result.relevance_score);
        // Scores are sums of up to 16 similarities.
        expectClose(scores, model.scores[at], `scores for ${query}`, 1e-4);
      }
    } finally {
      await open.close();
    }
  });
});
