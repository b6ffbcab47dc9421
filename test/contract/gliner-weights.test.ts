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

const readGolden = (file: string): unknown =>
  JSON.parse(readFileSync(join(FIXTURES, `golden/${file}.json`), 'utf8'));

/** Results of gliner; fixtures/scripts/make_gliner_weights.py and make_gliner_bi.py created the models and the results. */
const { texts, ...prompted } = readGolden('gliner-weights') as Record<string, readonly Case[]> & {
  readonly texts: readonly string[];
};
const { weights: encoded } = readGolden('gliner-bi') as {
  readonly weights: Record<string, readonly Case[]>;
};

/** Copies a model without an ONNX graph. */
function copy(name: string): string {
  const model = join(folder(), name);
  cpSync(join(FIXTURES, 'gliner', name), model, { recursive: true });
  return model;
}

const withoutScore = ({ start, end, text, label }: Entity): object => ({ start, end, text, label });

for (const [name, cases] of Object.entries({ ...prompted, ...encoded })) {
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
  const cases: [change: object, message: RegExp, model?: string][] = [
    [
      { span_mode: 'markerV1' },
      /sets `span_mode` to "markerV1", which is not supported without an export\. Export/,
    ],
    [
      { subtoken_pooling: 'max' },
      /sets `subtoken_pooling` to "max", which is not supported without an export/,
    ],
    [
      { span_encoder_config: { model_type: 'rnn' } },
      /sets `span_encoder_config` to \{"model_type":"rnn"\}, which is not supported without an export/,
    ],
    [
      { model_type: 'gliner_streaming_span' },
      /has the `model_type` "gliner_streaming_span": the model reads a text in parts with a decoder, which is not/,
    ],
    ...['l2l-l2x', 'l2l-', 7, ['l2l']].map((schema): (typeof cases)[number] => [
      { post_fusion_schema: schema },
      /sets `post_fusion_schema` to .+, which is not supported without an export/,
      'bi-fused',
    ]),
    ...[{ num_post_fusion_layers: 1e9 }, { num_post_fusion_layers: 'x' }, { hidden_size: 15 }].map(
      (change): (typeof cases)[number] => [
        change,
        /sets `post_fusion_schema` to ".+" without valid `num_post_fusion_layers`, `hidden_size` and attention heads, which/,
        'bi-fused',
      ],
    ),
    [
      { labels_encoder_config: { model_type: 'convbert' } },
      /has the encoder "convbert", which is not supported without/,
      'bi-span',
    ],
    [
      { labels_encoder_config: { model_type: 'bert', num_hidden_layers: 9 } },
      /The weights do not contain the tensor encoder\.layer\.1\./,
      'bi-span',
    ],
    [{ labels_encoder: null }, /tokenizer\.json has \d+ tokens, but .+ has only \d+\./, 'bi-span'],
    [
      { encoder_config: { model_type: 'convbert' } },
      /has the encoder "convbert", which is not supported without/,
    ],
    [
      { encoder_config: null, model_name: 'own/model' },
      /has the encoder "own\/model", which is not supported/,
    ],
  ];
  for (const [change, message, name = 'span'] of cases) {
    const model = copy(name);
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
