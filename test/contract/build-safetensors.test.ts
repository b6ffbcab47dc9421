import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere } from '../helpers/cli-here.ts';
import { largestDifference } from '../helpers/close.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { WORDS_OF_IDS } from '../helpers/words-of-ids.ts';
import { post } from './http-client.ts';
import { serveBuilt } from './serve-built.ts';
import { useServers } from './started-servers.ts';
import { verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const { serve } = useServers();

type Numbers = number | readonly Numbers[];
interface Golden {
  readonly ids: readonly (readonly number[])[];
  readonly hidden: Numbers;
  readonly text: Numbers;
  readonly tokens: Numbers;
}
const readGolden = (name: string) =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', name), 'utf8')) as Record<string, Golden>;
const golden = { ...readGolden('architectures.json'), ...readGolden('architectures-remote.json') };

/** Copies a fixture, with a tokenizer and a config file. Returns the path of its config. */
function writeModel(name: string, modelType: string, source = 'architectures'): string {
  const model = join(folder(), name);
  cpSync(join(FIXTURES, source, name), model, { recursive: true });
  writeFileSync(join(model, 'tokenizer.json'), JSON.stringify(WORDS_OF_IDS));
  const path = join(folder(), `${name}.yml`);
  writeFileSync(path, JSON.stringify({ encoderfile: { name, path: `./${name}`, model_type: modelType } }));
  return path;
}

const CASES = [
  ['bert-text', 'text', 'sequence_classification'],
  ['deberta-v3-tokens', 'tokens', 'token_classification'],
  ['modernbert-text', 'hidden', 'embedding'],
  ['nomic-moe-hidden', 'hidden', 'embedding'],
  ['bert-text', 'text', 'sequence_classification', 'torch'],
  ['deberta-v3-tokens', 'tokens', 'token_classification', 'torch'],
] as const;

for (const [name, part, modelType, source] of CASES) {
  verifiesServed('build:safetensors', async (arm) => {
    const architecture = name.slice(0, name.lastIndexOf('-'));
    const config = writeModel(name, modelType, source);
    const server = await serveBuilt(arm, config, join(folder(), `${name}.encoder`), serve);
    const { ids = [], [part]: expected = [] } = golden[architecture] ?? {};
    const inputs = ids.map((row) => row.map((id) => `t${id}`).join(' '));
    const { status, text } = await post(`http://127.0.0.1:${server.httpPort}/predict`, {
      inputs,
      ...(modelType === 'embedding' ? { normalize: false } : {}),
    });
    expect({ status, text }).toMatchObject({ status: 200 });
    const values = numbersOf(JSON.parse(text));
    expect(values.length).toBeGreaterThan(8);
    expect(largestDifference(values, flatten(expected))).toBeLessThan(1e-5);
    await server.stop();
  });
}

const flatten = (value: Numbers): number[] => (typeof value === 'number' ? [value] : value.flatMap(flatten));

/** All vectors or logits in a response, in order. */
function numbersOf(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(numbersOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    (key === 'logits' || key === 'embedding') && isNumbers(item) ? item : numbersOf(item),
  );
}
const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number');

verifiesOnce('build:bad-safetensors', async () => {
  const config = (change: object) => (model: string) => {
    const path = join(model, 'config.json');
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...change }));
  };
  const cases: [prepare: (model: string) => void, message: RegExp][] = [
    [
      config({ model_type: 'roc_bert' }),
      /only model\.safetensors, and a model of type "roc_bert" cannot be built from it \(supported types: albert, bart, bert,/,
    ],
    [
      (model) => rmSync(join(model, 'config.json')),
      /only model\.safetensors, and no config\.json with a `model_type`/,
    ],
    [
      (model) => {
        rmSync(join(model, 'model.safetensors'));
        writeFileSync(join(model, 'pytorch_model.bin'), 'x');
      },
      /Cannot read .*pytorch_model\.bin: it is not an uncompressed zip archive as written by torch\. Download pytorch_model\.bin again, or/,
    ],
    [
      (model) => writeFileSync(join(model, 'model.safetensors'), ''),
      /model\.safetensors is damaged: it has no header\. Download model\.safetensors again\.$/m,
    ],
    [config({ num_hidden_layers: 3 }), /do not contain the tensor encoder\.layer\.2\./],
    [
      config({ hidden_size: 32 }),
      /model\.safetensors does not match config\.json: .* between 16 and 32\. Both must come from the same model; copy/,
    ],
    [config({ num_attention_heads: 3 }), /model\.safetensors does not match config\.json: /],
    [
      config({ hidden_act: 'softplus' }),
      /The activation "softplus" in config\.json must be one of gelu, .* --task text-classification /,
    ],
    [
      config({ position_embedding_type: 'relative_key' }),
      /`position_embedding_type` to "relative_key", which cannot be built without an export\. Export it: .* --task text-classification /,
    ],
    [
      config({ position_embedding_type: 'rotary', auto_map: { AutoModel: 'own.BertModel' } }),
      /to "rotary", which .* Export it, which runs the model's Python code: .*`python export\.py \S+ \S+\/onnx --trust-remote-code`/,
    ],
    [
      config({ auto_map: { AutoModel: 'own.OwnModel' } }),
      /config\.json uses the class OwnModel of the model's own Python code, .* --trust-remote-code`/,
    ],
  ];
  for (const [prepare, message] of cases) {
    const path = writeModel('bert-text', 'sequence_classification');
    prepare(join(folder(), 'bert-text'));
    const args = ['build', '-f', path, '-o', 'x.encoder', '--cache-dir', TEST_CACHE];
    const { exitCode, stdout, stderr } = await runCliHere(args, { cwd: folder() });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('\n    at ');
    expect(existsSync(join(folder(), 'x.encoder'))).toBe(false);
    rmSync(join(folder(), 'bert-text'), { recursive: true });
  }
});
