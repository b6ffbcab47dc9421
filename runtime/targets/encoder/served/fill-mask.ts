import { type Static, Type } from 'typebox';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { readRenderedJson } from '../json/json.ts';
import { encodeJson } from '../json/json-writer.ts';
import { overflowMembers, NOT_EMPTY, textMember, atLeastOne } from '../schemas/texts.ts';
import { type FilledText, fillMasks, type MaskedText, targetIds } from '../tasks/fill-mask.ts';
import { HUGGING_FACE_NOTE, isHuggingFaceBody } from './hugging-face.ts';
import type { BodyOf, ClientBatch, HuggingFaceTask, ServedType } from './served-type.ts';

const options = {
  top_k: optional(Type.Integer({ minimum: 1, description: 'Number of candidates per mask. Default: 5.' })),
  targets: optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      title: 'a list of words',
      description: 'Score only these tokens. Words that consist of several tokens are rejected.',
    }),
  ),
};

const candidate = Type.Object(
  {
    token: Type.String(),
    token_id: Type.Integer(),
    score: Type.Number({ description: 'Probability of the token.' }),
    sequence: Type.String({ description: 'The text with the token in place of the mask.' }),
  },
  { $id: 'MaskCandidate' },
);

const result = Type.Object(
  {
    masks: Type.Array(
      Type.Object(
        { candidates: Type.Array(candidate, { description: 'Highest score first.' }) },
        { $id: 'FilledMask' },
      ),
      { description: 'Masks in the text, in order.' },
    ),
  },
  { $id: 'FillMaskResult' },
);

/** Results from worker threads contain token ids. The thread that has the tokenizer adds the words. */
const filled = (
  engine: Pick<ServingEngine, 'decode'>,
  results: readonly Uint8Array[],
): Promise<FilledText[]> =>
  fillMasks(
    engine,
    results.map((one) => readRenderedJson(one) as MaskedText),
  );

const foreignRequest = ({ maxClientBatch: maxItems }: ClientBatch) =>
  Type.Object(
    {
      inputs: Type.Union([
        textMember,
        documented(Type.Array(textMember, { minItems: 1, title: 'a list of texts', ...NOT_EMPTY }), {
          maxItems,
        }),
      ]),
      parameters: optional(
        Type.Object({
          top_k: optional(
            Type.Integer({ minimum: 1, default: 5, description: 'Number of candidates per mask.' }),
          ),
          targets: optional(
            Type.Array(Type.String({ minLength: 1 }), {
              title: 'a list of words',
              description: 'Score only these tokens.',
            }),
          ),
        }),
      ),
      ...overflowMembers,
    },
    { $id: 'FillMaskRequest' },
  );

const filledMasks = Type.Array(
  Type.Object(
    {
      score: Type.Number(),
      token: Type.Integer({ description: 'Token id.' }),
      token_str: Type.String(),
      sequence: Type.String({ description: 'The text with the token in place of the mask.' }),
    },
    { $id: 'FilledToken' },
  ),
);

const huggingFace: HuggingFaceTask<Static<ReturnType<typeof foreignRequest>>> = {
  request: (_, limits) => foreignRequest(limits),
  response: Type.Union([filledMasks, Type.Array(filledMasks), Type.Array(Type.Array(filledMasks))], {
    $id: 'FillMaskResponse',
    description:
      'Candidates, highest score first: one list for a text with one mask, a list of lists for a text with several masks, and a list of such results for a list of texts.',
  }),
  example: ({ mask }) => ({
    request: { inputs: `Anna ${mask?.token ?? '[MASK]'} in Berlin.` },
    response: [{ score: 0.61, token: 3268, token_str: 'lives', sequence: 'anna lives in berlin.' }],
  }),
  isTheirs: isHuggingFaceBody,
  note: HUGGING_FACE_NOTE,
  async answer(engine, body, run) {
    const { inputs, parameters } = body;
    const targets = await targetIds(engine, parameters?.targets);
    const { results } = await run({
      inputs: [inputs].flat().map((one) => ({ text: one })),
      view: { kind: 'result', format: 'json', options: { topK: parameters?.top_k ?? undefined, targets } },
    });
    const texts = (await filled(engine, results)).map(candidatesOf);
    return typeof inputs === 'string' ? texts[0] : texts;
  },
};

/** A list of candidates if the text has a single mask, otherwise one such list per mask. */
function candidatesOf({ masks }: FilledText): object[] {
  const lists = masks.map(({ candidates }) =>
    candidates.map(({ token, token_id, score, sequence }) => ({
      score,
      token: token_id,
      token_str: token,
      sequence,
    })),
  );
  return lists.length === 1 ? (lists[0] ?? []) : lists;
}

export const servedFillMask: ServedType<BodyOf<typeof options>> = {
  texts: {
    summary: 'Predict the masked words in each text.',
    tool: 'Predicts the masked tokens in input text sequences.',
  },
  request: () => ({ options }),
  result: () => result,
  example: ({ mask }) => ({
    request: { inputs: [`Anna ${mask?.token ?? '[MASK]'} in Berlin.`], top_k: 1 },
    result: {
      masks: [
        {
          candidates: [{ token: 'lives', token_id: 3268, score: 0.61, sequence: 'anna lives in berlin.' }],
        },
      ],
    },
  }),
  bench: (words, { mask }) => ({ inputs: [`${mask?.token ?? '[MASK]'} ${words}`] }),
  info: () => ({ fill_mask: {} }),
  predict: {
    plan: async (engine, { top_k, targets }) => ({
      options: { topK: atLeastOne('top_k', top_k), targets: await targetIds(engine, targets) },
      complete: async (results) => (await filled(engine, results)).map((one) => encodeJson(one)),
    }),
  },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/fill_mask_pb.ts')).FillMask,
};
