import { expect } from 'vitest';
import { builtExecutable } from '../helpers/built.ts';
import {
  GLINER_MODELS,
  type GoldenEntity,
  type GoldenEntityCase,
  readGoldenGliner,
} from '../helpers/golden-gliner.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { runExecutable } from './arms.ts';
import { type PredictRequest, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import type { Served } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

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

const optionsOf = ({
  labels,
  threshold,
  flat_ner,
  multi_label,
}: GoldenEntityCase): Omit<PredictRequest, 'inputs'> => ({ labels, threshold, flat_ner, multi_label });

interface Found {
  readonly entities?: readonly GoldenEntity[];
}

/** Scores must be within 1e-5, and everything else equal. */
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

for (const model of GLINER_MODELS) {
  verifiesOnce('zero_shot_ner:golden', async () => {
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
  });
}

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
    // 300 windows of 12 words that overlap by 8, and a text with more words than they can contain.
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

verifiesOnce('zero_shot_ner:many-labels', async () => {
  await serving('gliner-bi', [], async (served) => {
    const labels = Array.from({ length: 2000 }, (_, at) => `person ${at}`);
    for (const transport of TRANSPORTS) {
      const client = await transport.connect(served, 'ZeroShotNer');
      const problem = await client.predict({ inputs: ['Anna'], labels }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(problem).toMatchObject({ code: transport.inputError });
      expect(String(problem), transport.name).toMatch(
        /labels have \d+ tokens when padded to the longest label, but the maximum is 4096\. Send fewer or shorter labels\./,
      );
      // More labels than a prompt could contain, each with the same score as alone.
      const many = labels.slice(0, 300);
      const options = { threshold: 0, flat_ner: false, multi_label: true };
      const found = await client.predict({ inputs: ['Anna Smith'], labels: many, ...options });
      const alone = await client.predict({ inputs: ['Anna Smith'], labels: many.slice(299), ...options });
      const last = found.results[0]?.entities?.filter(({ label }) => label === many[299]);
      expectEntities([{ entities: last ?? [] }], [alone.results[0]?.entities ?? []], transport.name);
      expect(last?.length).toBeGreaterThan(0);
      await client.close();
    }
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
          /labels have \d+ tokens, but at most 384 of this model's 512 tokens can be labels\. Send fewer or shorter labels\./,
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
      'The Inference API has no task for gliner-span, which is a zero_shot_ner model. Use /predict.',
    );
  });
  const infer = (...args: string[]) => runExecutable(builtExecutable('gliner-span'), ['infer', ...args]);
  const missing = await infer('Anna');
  expect([missing.exitCode, missing.stderr.trim()]).toEqual([
    1,
    'Error: --labels is missing: this model only finds the entity types named in the request. Add at least one type, for example person.',
  ]);
  const threshold = await infer('--labels=person', '--threshold=2', 'Anna');
  expect([threshold.exitCode, threshold.stderr]).toEqual([
    2,
    expect.stringContaining('--threshold: "2" is not a number from 0 to 1.'),
  ]);
});
