import { Type } from 'typebox';
import { parseJsonText } from '#core/json/json-text.ts';
import { optional } from '#serve/http/schemas.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { roleMembers, roleOf } from '../schemas/roles.ts';
import { numbers } from '../schemas/results.ts';
import { atLeastOne } from '../schemas/texts.ts';
import type { BodyOf, JsonPiece, ServedType } from './served-type.ts';

/** These options also apply to sentence_embedding models that return sparse vectors. */
export const sparseOptions = {
  max_active_dims: optional(
    Type.Integer({
      minimum: 1,
      description: 'Number of largest values to keep per vector. Default: all nonzero values.',
    }),
  ),
  tokens: optional(
    Type.Boolean({
      description: 'Whether to add `tokens`: the token for each index, as written in the vocabulary.',
    }),
  ),
};

export const sparseResult = Type.Object(
  {
    indices: Type.Array(Type.Integer(), {
      description: 'Token ids with nonzero values, in ascending order.',
    }),
    values: numbers('Value for each index.'),
    tokens: Type.Optional(
      Type.Array(Type.Unsafe<string | null>({ type: 'string', nullable: true }), {
        description:
          'Token for each index, if `tokens` is set; null for an index that is not in the vocabulary.',
      }),
    ),
  },
  { $id: 'SparseEmbeddingResult' },
);

export const servedSparseEmbedding: ServedType<
  BodyOf<typeof sparseOptions & ReturnType<typeof roleMembers>>
> = {
  texts: {
    summary: 'Compute one sparse vector per text.',
    tool: 'Performs sparse embedding of input text sequences.',
  },
  request: (manifest) => ({
    options: { ...sparseOptions, ...(manifest.sparse?.queries ? roleMembers(manifest) : {}) },
  }),
  result: () => sparseResult,
  example: () => ({
    request: { max_active_dims: 2, tokens: true },
    result: { indices: [2013, 5075], values: [0.52, 1.61], tokens: ['city', 'anna'] },
  }),
  info: () => ({ embedding: { pooling: 'splade' } }),
  predict: {
    plan: (engine, { max_active_dims, tokens, input_type: role }) => ({
      role: roleOf(role, engine.manifest),
      options: { maxActiveDims: atLeastOne('max_active_dims', max_active_dims) },
      complete: tokens ? addTokens(engine) : undefined,
    }),
  },
  grpc: async () => (await import('#gen/encoder/sparse_embedding_pb.ts')).SparseEmbedding,
};

/** Adds `tokens` to sparse vectors: the token of each index. Results of other outputs are unchanged. */
export const addTokens =
  ({ tokenOf }: Pick<ServingEngine, 'tokenOf'>) =>
  async (results: readonly Uint8Array[]): Promise<readonly JsonPiece[]> =>
    results.map((result) => {
      const found = sparseIn(result);
      if (found === undefined) return result;
      const [vector, end] = found;
      const { indices } = parseJsonText(vector) as { indices: number[] };
      const tokens = JSON.stringify(indices.map(tokenOf));
      // The vector is a JSON object: its closing brace is replaced to append one member.
      return Buffer.concat([result.subarray(0, -end.length), Buffer.from(`,"tokens":${tokens}${end}`)]);
    });

/**
 * Splits a result into the JSON text of the sparse vector, which is the result itself or its last
 * field, and the text after it.
 */
function sparseIn(result: Uint8Array): [vector: string, end: string] | undefined {
  const bytes = Buffer.from(result.buffer, result.byteOffset, result.byteLength);
  if (bytes.subarray(0, INDICES.length).equals(INDICES)) return [bytes.toString(), '}'];
  const at = bytes.lastIndexOf(MEMBER);
  return at < 0 ? undefined : [bytes.toString('utf8', at + MEMBER.length, bytes.length - 1), '}}'];
}

const INDICES = Buffer.from('{"indices"');
const MEMBER = Buffer.from('"sparse":');
