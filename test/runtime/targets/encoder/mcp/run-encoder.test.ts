import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EncoderContext } from '#encoder/context.ts';
import { expectClose } from '#test/helpers/close.ts';
import { type GoldenText, readGolden } from '#test/helpers/golden.ts';
import { openServing } from './serving-context.ts';
import { connect, type Served, WIRES } from './wires.ts';
import { builtAssets } from '#test/helpers/built.ts';

const MODELS = {
  sentiment: 'Performs sequence classification of input text sequences.',
  ner: 'Performs token classification of input text sequences.',
  embedder: 'Performs embeddings for input text sequences.',
} as const;
const OPTIONS = { sentiment: {}, ner: {}, embedder: { normalize: false } };

describe.each(['sentiment', 'ner', 'embedder'] as const)('%s', (model) => {
  let context: EncoderContext;
  beforeAll(async () => {
    context = await openServing(builtAssets(model));
  });
  afterAll(() => context.engine.close());

  describe.each(['stdio', 'http'] as const)('over %s', (wire) => {
    let served: Served;
    let client: Client;
    beforeAll(async () => {
      served = await WIRES[wire](context);
      client = await connect(served);
    });
    afterAll(async () => {
      await client.close();
      await served.close();
    });

    test('the server reports its name and model, and supports tools only', () => {
      expect(client.getServerVersion()).toEqual({
        name: 'encoderfile',
        title: 'encoderfile',
        version: '1.2.3',
        description: expect.stringContaining(model),
      });
      expect(client.getServerCapabilities()).toEqual({ tools: {} });
      for (const part of [model, 'encoderfile 1.2.3', 'Node 26.0.0', 'ONNX Runtime 1.30.0']) {
        expect(client.getInstructions()).toContain(part);
      }
    });

    test('the server has one tool, with valid schemas', async () => {
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(1);
      const [tool] = tools;
      expect(tool).toMatchObject({
        name: 'run_encoder',
        description: MODELS[model],
        inputSchema: {
          type: 'object',
          required: expect.arrayContaining(['inputs']),
          additionalProperties: false,
        },
        outputSchema: { type: 'object', required: ['results', 'model_id'] },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      });
      expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(['inputs', 'metadata', ...Object.keys(OPTIONS[model])]),
      );
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      expect(() => ajv.compile(tool?.inputSchema ?? {})).not.toThrow();
      expect(() => ajv.compile(tool?.outputSchema ?? {})).not.toThrow();
    });

    test('numbers match the reference, as text and as structured content', async () => {
      const golden = readGolden(model);
      const { tools } = await client.listTools();
      const validate = new Ajv2020().compile(tools[0]?.outputSchema ?? {});
      const metadata = { trace: 'a"b', é: '' };
      const answer = await client.callTool({
        name: 'run_encoder',
        arguments: { inputs: golden.map(({ text }) => text), metadata, ...OPTIONS[model] },
      });
      const content = answer.structuredContent as Content;
      expect(answer.isError ?? false).toBe(false);
      expect(answer.content).toEqual([{ type: 'text', text: expect.any(String) }]);
      expect(JSON.parse((answer.content as { text: string }[])[0]?.text ?? '')).toEqual(content);
      expect(validate(content), JSON.stringify(validate.errors)).toBe(true);
      expect(content).toMatchObject({ model_id: model, metadata });
      expect(content.results).toHaveLength(golden.length);
      for (const [at, expected] of golden.entries()) expectGolden(content.results[at] ?? {}, expected);
    });

    test('options and pairs return the same results as /predict', async () => {
      const call = async (args: object): Promise<Content> =>
        (await client.callTool({ name: 'run_encoder', arguments: { ...OPTIONS[model], ...args } }))
          .structuredContent as Content;
      const pair = await call({ inputs: [['good', 'bad'], 'good'], metadata: null });
      expect(pair.results).toHaveLength(2);
      expect(pair.results[0]).not.toEqual(pair.results[1]);
      expect(pair).not.toHaveProperty('metadata');
    });
  });
});

interface Content {
  readonly results: readonly Result[];
}

interface Result {
  readonly logits?: number[];
  readonly scores?: number[];
  readonly predicted_label?: string;
  readonly tokens?: { readonly logits: number[]; readonly scores: number[]; readonly label: string }[];
  readonly embeddings?: { readonly embedding: number[] }[];
}

function expectGolden(result: Result, golden: GoldenText): void {
  const [actual, expected] = [outcomeOf(result), outcomeOfGolden(golden)];
  expect(actual.labels, golden.id).toEqual(expected.labels);
  expect(
    actual.rows.map(({ length }) => length),
    golden.id,
  ).toEqual(expected.rows.map(({ length }) => length));
  expectClose(actual.rows.flat(), expected.rows.flat(), golden.id);
}

/** All numbers and labels in a result. */
interface Outcome {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly (string | undefined)[];
}

function outcomeOf({ embeddings, tokens, logits = [], scores = [], predicted_label }: Result): Outcome {
  if (embeddings) return { rows: embeddings.map(({ embedding }) => embedding), labels: [] };
  if (!tokens) return { rows: [logits, scores], labels: [predicted_label] };
  const rows = [...tokens.map((token) => token.logits), ...tokens.map((token) => token.scores)];
  return { rows, labels: tokens.map(({ label }) => label) };
}

function outcomeOfGolden({
  embeddings,
  labels,
  special_tokens_mask: special,
  ...golden
}: GoldenText): Outcome {
  const kept = <Row>(all: readonly Row[]): Row[] => all.filter((_, at) => special[at] === 0);
  if (embeddings) return { rows: kept(embeddings), labels: [] };
  const [logits, scores] = [golden.logits, golden.scores];
  if (!labels) return { rows: [logits as number[], scores as number[]], labels: [golden.predicted_label] };
  return { rows: [...kept(logits as number[][]), ...kept(scores as number[][])], labels: kept(labels) };
}
