import { type TSchema, Type } from 'typebox';

// Schemas of answers, with the members that all providers have.

export const answerOf = (members: Record<string, TSchema>, description: string): TSchema =>
  Type.Object(members, { additionalProperties: true, description });

export const usage = Type.Optional(
  Type.Unsafe({ type: ['object', 'null'], additionalProperties: true, description: 'Token counts.' }),
);
export const list = Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true }));

export const chatAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), choices: list, usage },
  'The answer of the provider.',
);
export const messagesAnswer = answerOf(
  { id: Type.String(), type: Type.String(), model: Type.String(), content: list, usage },
  'The answer of the provider.',
);
export const responsesAnswer = answerOf(
  { id: Type.String(), object: Type.String(), model: Type.String(), output: list, usage },
  'The answer of the provider.',
);
export const embeddingsAnswer = answerOf(
  { object: Type.String(), model: Type.String(), data: list, usage },
  'One vector per input, in input order.',
);
const scored = Type.Object({
  index: Type.Integer(),
  label: Type.Unsafe({ type: ['string', 'null'], description: 'Label with the highest score.' }),
  score: Type.Unsafe({ type: ['number', 'null'] }),
  scores: Type.Unsafe({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Probability of each label.',
  }),
});
export const classifyAnswer = answerOf(
  {
    object: Type.Literal('list'),
    model: Type.String(),
    data: Type.Array(scored),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  'One entry per text, in input order.',
);

export const geminiAnswer = answerOf(
  { candidates: list, usageMetadata: Type.Unsafe({ type: 'object' }), modelVersion: Type.String() },
  'The answer of the provider.',
);
export const vector = Type.Object({ values: Type.Array(Type.Number()) });
