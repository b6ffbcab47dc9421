import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { builtExecutable } from '../helpers/built.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import {
  GLINER_MODELS,
  type GoldenEntity,
  type GoldenEntityCase,
  readGoldenGliner,
} from '../helpers/golden-gliner.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { type PredictRequest, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import type { Served } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const golden = readGoldenGliner();

async function serving(
  model: string,
  flags: readonly string[],
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const running = startExecutable(builtExecutable(model), [
    'serve',
    '--http-port=0',
    '--grpc-port=0',
    ...flags,
  ]);
  const stop = async (): Promise<void> => {
    running.child.kill('SIGTERM');
    await running.ended;
  };
  try {
    const text = await running.said(/"msg":"serving"/);
    const [httpPort, grpcPort] = [portIn(text, 'HTTP'), portIn(text, 'gRPC')];
    await use({ httpPort, grpcPort, stop, log: running.stderr });
  } finally {
    await stop();
  }
}

const optionsOf = ({ results: _, ...options }: GoldenEntityCase): Omit<PredictRequest, 'inputs'> => options;

interface Found {
  readonly entities?: readonly GoldenEntity[];
}

/** Scores within 1e-5, and everything else equal. */
function expectEntities(
  found: readonly Found[],
  wanted: readonly (readonly GoldenEntity[])[],
  what: string,
): void {
  const plain = (entities: readonly GoldenEntity[] = []) =>
    entities.map(({ text, label, start, end }) => ({ text, label, start, end }));
  expect(
    found.map(({ entities }) => plain(entities)),
    what,
  ).toEqual(wanted.map(plain));
  for (const [at, entities] of wanted.entries()) {
    for (const [index, { score }] of entities.entries()) {
      expect(Math.abs((found[at]?.entities?.[index]?.score ?? 0) - score), what).toBeLessThan(1e-5);
    }
  }
}

verifiesOnce('zero_shot_ner:golden', async () => {
  for (const model of GLINER_MODELS) {
    const { cases, windows } = golden[model];
    expect(cases.some(({ results }) => results.flat().length > 10)).toBe(true);
    expect(windows.some(({ results }) => results.flat().length > 10)).toBe(true);
    await serving(model, [], async (served) => {
      for (const transport of TRANSPORTS) {
        const client = await transport.connect(served, 'ZeroShotNer');
        for (const one of cases) {
          const { results } = await client.predict({ inputs: golden.texts, ...optionsOf(one) });
          expectEntities(results, one.results, `${model}, ${transport.name}`);
        }
        for (const one of windows) {
          const { results } = await client.predict({ inputs: golden.long, ...optionsOf(one) });
          expectEntities(results, one.results, `${model}, ${transport.name}, windows`);
        }
        await client.close();
      }
      const facts = await fetch(`http://127.0.0.1:${served.httpPort}/model`);
      expect(await facts.json()).toMatchObject({ model_type: 'zero_shot_ner' });
    });
    for (const [one, texts] of [
      [cases.at(-1), golden.texts],
      [windows.at(-1), golden.long],
    ] as const) {
      const { labels = [], threshold, flat_ner, multi_label, results = [] } = one ?? {};
      const flags = [
        `--labels=${labels.join(', ')}`,
        `--threshold=${threshold}`,
        `--flat-ner=${flat_ner}`,
        ...(multi_label ? ['--multi-label'] : []),
      ];
      const { exitCode, stdout, stderr } = await runExecutable(builtExecutable(model), [
        'infer',
        ...flags,
        '--',
        ...texts,
      ]);
      expect([exitCode, stderr]).toEqual([0, '']);
      const { predictions } = JSON.parse(stdout) as { predictions: Found[] };
      expectEntities(predictions, results, `${model}, infer`);
    }
  }
});

verifiesOnce('zero_shot_ner:alone', async () => {
  const { cases, windows } = golden['gliner-span'];
  const requests = [...cases, ...windows].map((one) => {
    const inputs = windows.includes(one) ? golden.long : golden.texts;
    return { body: { inputs, ...optionsOf(one) }, wanted: one.results };
  });
  await serving('gliner-span', ['--max-windows=300'], async ({ httpPort }) => {
    const answers = await Promise.all(
      requests.map(({ body }) => post(`http://127.0.0.1:${httpPort}/predict`, body)),
    );
    for (const [at, { text }] of answers.entries()) {
      const { results } = JSON.parse(text) as { results: Found[] };
      expectEntities(results, requests[at]?.wanted ?? [], `request ${at}`);
    }
    // 300 windows of 12 words that share 8, and more words than they have.
    const long = { inputs: ['Anna '.repeat(2000)], labels: ['person'] };
    const cut = await post(`http://127.0.0.1:${httpPort}/predict`, long);
    expect([cut.status, cut.headers['x-truncated-inputs']]).toEqual([200, '1']);
    const refused = await post(`http://127.0.0.1:${httpPort}/predict`, { ...long, truncate: false });
    expect([refused.status, refused.text]).toEqual([
      422,
      'Input 0 is too long: it has more than 300 windows of 12 words (--max-windows). Shorten it, or allow truncation in the request.',
    ]);
  });
});

verifiesOnce('zero_shot_ner:errors', async () => {
  await serving('gliner-span', [], async (served) => {
    for (const transport of TRANSPORTS) {
      const client = await transport.connect(served, 'ZeroShotNer');
      const refused: readonly [Omit<PredictRequest, 'inputs'>, RegExp][] = [
        [{}, /labels/],
        [{ labels: [] }, /labels/],
        [{ labels: ['person', '  '] }, /labels contains an empty type\. Remove it\./],
        [
          { labels: ['<<ENT>>'] },
          /labels contains "<<ENT>>", but <<ENT>> separates the types of this model\./,
        ],
        [{ labels: ['person'], threshold: 1.5 }, /threshold/],
        [
          { labels: Array.from({ length: 200 }, (_, at) => `type ${at}`) },
          /labels have \d+ tokens, but at most 384 of the 512 tokens of this model can be labels\. Send fewer or shorter labels\./,
        ],
      ];
      for (const [options, message] of refused) {
        const problem = await client.predict({ inputs: ['Anna'], ...options }).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(problem, JSON.stringify(options)).toMatchObject({ code: transport.inputError });
        expect(String(problem), transport.name).toMatch(message);
      }
      // A text without words has no entities.
      const { results } = await client.predict({ inputs: ['   ', 'Anna'], labels: ['person'] });
      expect(results[0]?.entities ?? []).toEqual([]);
      await client.close();
    }
    const url = `http://127.0.0.1:${served.httpPort}`;
    expect((await post(`${url}/`, { inputs: 'Anna' })).text).toBe(
      'The Inference API has no task for gliner-span, a zero_shot_ner model. Use /predict.',
    );
  });
  const infer = (...args: string[]) => runExecutable(builtExecutable('gliner-span'), ['infer', ...args]);
  const missing = await infer('Anna');
  expect([missing.exitCode, missing.stderr.trim()]).toEqual([
    1,
    'Error: --labels is missing: this model finds entities of the types in the request. Add at least one type, for example person.',
  ]);
  const threshold = await infer('--labels=person', '--threshold=2', 'Anna');
  expect([threshold.exitCode, threshold.stderr]).toEqual([
    2,
    expect.stringContaining('--threshold: "2" is not a number from 0 to 1.'),
  ]);
});

verifiesOnce('zero_shot_ner:guess', async () => {
  const source = join(FIXTURES, 'models/gliner-span');
  const files = ['model.onnx', 'tokenizer.json', 'tokenizer_config.json', 'gliner_config.json'];
  const copy = (name: string, kept: readonly string[], change: object = {}): string => {
    const to = join(folder(), name);
    mkdirSync(to);
    for (const file of kept) copyFileSync(join(source, file), join(to, file));
    const config = JSON.parse(readFileSync(join(source, 'gliner_config.json'), 'utf8')) as object;
    writeFileSync(join(to, 'gliner_config.json'), JSON.stringify({ ...config, ...change }));
    return to;
  };
  const whole = copy('whole', files);
  const proposed = await runCli(['init', whole, '-o', join(folder(), 'new.yml')]);
  expect([proposed.exitCode, proposed.stderr]).toEqual([0, '']);
  expect(readFileSync(join(folder(), 'new.yml'), 'utf8')).toContain('model_type: zero_shot_ner');
  const built = await runCli([
    ...['build', whole, '--no-build', '-o', join(folder(), 'whole.assets'), '--cache-dir', TEST_CACHE],
  ]);
  expect(built).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(
      'No config file: whole is of type zero_shot_ner, because it has gliner_config.json',
    ),
  });

  const weights = copy('weights', ['tokenizer.json']);
  writeFileSync(join(weights, 'pytorch_model.bin'), '');
  const lua = join(folder(), 'lua.yml');
  const lines = ['name: x', `path: ${whole}`, 'model_type: zero_shot_ner', 'long_texts: truncate'];
  writeFileSync(
    lua,
    ['encoderfile:', ...[...lines, 'transform: return nil'].map((line) => `  ${line}`)].join('\n'),
  );
  const wrongType = join(folder(), 'embedding.yml');
  writeFileSync(wrongType, `encoderfile: {name: x, path: ${whole}, model_type: embedding}`);
  const refused: readonly [string[], RegExp][] = [
    [[weights], /only pytorch_model\.bin, a pickle file.*GLiNER\.from_pretrained\('.*'\)\.export_to_onnx/],
    [
      [copy('bi', files, { labels_encoder: 'x' })],
      /has `labels_encoder`: the model reads labels with an encoder of their own, which is not supported\./,
    ],
    [
      [copy('width', files, { max_width: 5 })],
      /failed on a sample text|returns a tensor of shape .*gliner_config\.json that belongs to the model\./,
    ],
    [
      [copy('level', files, { ent_token: '<<TYPE>>' })],
      /tokenizer\.json has no token <<TYPE>>, which the model needs between entity types\./,
    ],
    [['-f', lua], /long_texts: truncate is not supported for model_type zero_shot_ner/],
    [['-f', lua], /transform: is not supported for model_type zero_shot_ner/],
    [
      ['-f', wrongType],
      /requires the input `\w+`, which only GLiNER models have\. Set `model_type` to zero_shot_ner\./,
    ],
  ];
  for (const [args, message] of refused) {
    const { exitCode, stderr } = await runCli(['validate', ...args, '--cache-dir', TEST_CACHE]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
  }
  const transform = await runCli([
    'transform',
    'new',
    '--model-type',
    'zero_shot_ner',
    '-o',
    join(folder(), 'x.lua'),
  ]);
  expect([transform.exitCode, transform.stderr]).toEqual([
    1,
    expect.stringContaining('model_type zero_shot_ner has no transform'),
  ]);
});
