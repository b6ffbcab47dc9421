import { describe, expect, test } from 'vitest';
import { expectClose } from '#test/helpers/close.ts';
import { type GoldenText, readGolden } from '#test/helpers/golden.ts';
import { useModelServers } from './model-server.ts';

const serve = useModelServers();

/** A result of any model type as @grpc/proto-loader decodes it. */
interface Result {
  readonly embeddings?: { readonly embedding: number[]; readonly token_info: TokenInfo }[];
  readonly tokens?: {
    readonly token_info: TokenInfo;
    readonly logits: number[];
    readonly scores: number[];
    readonly label: string;
    readonly score: number;
  }[];
  readonly logits?: number[];
  readonly scores?: number[];
  readonly predicted_index?: number;
  readonly predicted_label?: string;
}
interface TokenInfo {
  readonly token: string;
  readonly token_id: number;
  readonly start: number;
  readonly end: number;
}

const predict = async (model: string, golden: GoldenText[], extra = {}): Promise<Result[]> => {
  const { call } = await serve(model);
  const { answer, message } = await call('Predict', { inputs: golden.map(({ text }) => text), ...extra });
  expect(message).toBeUndefined();
  expect(answer).toMatchObject({ model_id: model, metadata: {} });
  const results = answer?.['results'] as Result[];
  expect(results).toHaveLength(golden.length);
  return results;
};

describe('results of all golden texts through @grpc/grpc-js and the .proto files match other libraries', () => {
  test('sequence classification', async () => {
    const golden = readGolden('sentiment');
    for (const [at, result] of (await predict('sentiment', golden)).entries()) {
      const expected = itemOf(golden, at);
      expectClose(result.logits, expected.logits as number[], expected.id);
      expectClose(result.scores, expected.scores as number[], expected.id);
      expect(result.predicted_label).toBe(expected.predicted_label);
      expect(result.predicted_index).toBe(expected.predicted_label === 'POSITIVE' ? 1 : 0);
    }
  });

  test('token classification', async () => {
    const golden = readGolden('ner');
    for (const [at, { tokens = [] }] of (await predict('ner', golden)).entries()) {
      const expected = itemOf(golden, at);
      const kept = keptTokens(expected);
      expectTokens(
        tokens.map(({ token_info }) => token_info),
        expected,
        kept,
      );
      expect(tokens.map(({ label }) => label)).toEqual(kept.map((index) => expected.labels?.[index]));
      for (const [row, index] of kept.entries()) {
        const scores = (expected.scores as number[][])[index] ?? [];
        expectClose(tokens[row]?.logits, (expected.logits as number[][])[index] ?? [], expected.id);
        expectClose(tokens[row]?.scores, scores, expected.id);
        expectClose([tokens[row]?.score ?? NaN], [Math.max(...scores)], expected.id);
      }
    }
  });

  // oxlint-disable-next-line vitest/expect-expect -- the helpers contain the assertions.
  test('embeddings, raw and normalized', async () => {
    const golden = readGolden('embedder');
    const [plain, normalized] = [
      await predict('embedder', golden),
      await predict('embedder', golden, { normalize: true }),
    ];
    for (const [at, { embeddings = [] }] of plain.entries()) {
      const expected = itemOf(golden, at);
      const kept = keptTokens(expected);
      expectTokens(
        embeddings.map(({ token_info }) => token_info),
        expected,
        kept,
      );
      for (const [row, index] of kept.entries()) {
        const vector = expected.embeddings?.[index] ?? [];
        const norm = Math.hypot(...vector);
        expectClose(embeddings[row]?.embedding, vector, expected.id);
        expectClose(
          normalized[at]?.embeddings?.[row]?.embedding,
          vector.map((value) => value / norm),
          expected.id,
        );
      }
    }
  });
});

function itemOf(golden: GoldenText[], at: number): GoldenText {
  const item = golden[at];
  if (!item) throw new Error(`more results than texts: ${at}`);
  return item;
}

const keptTokens = ({ special_tokens_mask }: GoldenText): number[] =>
  special_tokens_mask.flatMap((special, at) => (special === 0 ? [at] : []));

function expectTokens(infos: TokenInfo[], golden: GoldenText, kept: number[]): void {
  expect(infos).toEqual(
    kept.map((at) => ({
      token: golden.tokens[at],
      token_id: golden.input_ids[at],
      start: golden.offsets[at]?.[0],
      end: golden.offsets[at]?.[1],
    })),
  );
}
