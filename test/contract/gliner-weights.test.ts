import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere } from '../helpers/cli-here.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { post } from './http-client.ts';
import { serveBuilt } from './serve-built.ts';
import { useServers } from './started-servers.ts';
import { verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const { serve } = useServers();

interface Entity {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly label: string;
  readonly score: number;
}
interface Case {
  readonly labels: readonly string[];
  readonly threshold: number;
  readonly flat_ner: boolean;
  readonly multi_label: boolean;
  readonly results: readonly (readonly Entity[])[];
}

/** Results of gliner; fixtures/scripts/make_gliner_weights.py created the models and the results. */
const { texts, ...golden } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden/gliner-weights.json'), 'utf8'),
) as Record<string, readonly Case[]> & { readonly texts: readonly string[] };

/** Copies a model without an ONNX graph. */
function copy(name: string): string {
  const model = join(folder(), name);
  cpSync(join(FIXTURES, 'gliner', name), model, { recursive: true });
  return model;
}

const withoutScore = ({ start, end, text, label }: Entity): object => ({ start, end, text, label });

for (const [name, cases] of Object.entries(golden)) {
  verifiesServed('zero_shot_ner:weights', async (arm) => {
    copy(name);
    const config = join(folder(), `${name}.yml`);
    writeFileSync(config, JSON.stringify({ encoderfile: { name, path: name, model_type: 'zero_shot_ner' } }));
    const server = await serveBuilt(arm, config, join(folder(), `${name}.encoder`), serve);
    let count = 0;
    for (const { results: expected, ...options } of cases) {
      const { status, text } = await post(`http://127.0.0.1:${server.httpPort}/predict`, {
        inputs: texts,
        ...options,
      });
      expect({ status, text }).toMatchObject({ status: 200 });
      const results = (JSON.parse(text) as { results: { entities: Entity[] }[] }).results;
      for (const [at, { entities }] of results.entries()) {
        const wanted = expected[at] ?? [];
        expect(entities.map(withoutScore)).toEqual(wanted.map(withoutScore));
        for (const [index, { score }] of entities.entries())
          expect(Math.abs(score - (wanted[index]?.score ?? 0))).toBeLessThan(1e-5);
        count += entities.length;
      }
    }
    expect(count).toBeGreaterThan(100);
    await server.stop();
  });
}

verifiesOnce('zero_shot_ner:weights-refused', async () => {
  const cases: [change: object, message: RegExp][] = [
    [
      { span_mode: 'markerV1' },
      /sets `span_mode` to "markerV1", which is not supported without an export\. Export/,
    ],
    [
      { subtoken_pooling: 'max' },
      /sets `subtoken_pooling` to "max", which is not supported without an export/,
    ],
    [
      { post_fusion_schema: 'l2l' },
      /sets `post_fusion_schema` to "l2l", which is not supported without an export/,
    ],
    [
      { encoder_config: { model_type: 'convbert' } },
      /has the encoder "convbert", which is not supported without/,
    ],
    [
      { encoder_config: null, model_name: 'own/model' },
      /has the encoder "own\/model", which is not supported/,
    ],
    [{ labels_encoder: 'x' }, /has `labels_encoder`: the model encodes labels with a separate encoder/],
  ];
  for (const [change, message] of cases) {
    const model = copy('span');
    const path = join(model, 'gliner_config.json');
    const config = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...config, ...change }));
    const args = [
      'build',
      model,
      '--no-build',
      '-o',
      join(folder(), 'x'),
      '--force',
      '--cache-dir',
      TEST_CACHE,
    ];
    const { exitCode, stderr } = await runCliHere(args, { cwd: folder() });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(message) });
    expect(stderr).not.toContain('\n    at ');
    rmSync(model, { recursive: true });
  }
});
