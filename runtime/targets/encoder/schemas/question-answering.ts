import { type Static, Type } from 'typebox';
import { DEFAULT_ANSWERS, MAX_ANSWERS } from '#core/model/answer-plan.ts';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import { overflowMembers } from './overflow.ts';
import { NOT_EMPTY, text } from './texts.ts';

const count = (value: number, description: string) =>
  optional(Type.Integer({ minimum: 1, maximum: MAX_ANSWERS, default: value, description }));

/** Request options of question answering, named as in the pipeline of transformers. */
export const answerMembers = {
  top_k: count(DEFAULT_ANSWERS.topK, 'Maximum number of answers.'),
  max_answer_len: count(DEFAULT_ANSWERS.maxLength, 'Maximum number of tokens of an answer.'),
  handle_impossible_answer: optional(
    Type.Boolean({ default: false, description: 'Whether the empty answer can be one of the answers.' }),
  ),
};

const members = { question: text, context: text };
const question = Type.Object(members, {
  $id: 'Question',
  additionalProperties: false,
  title: 'an object with question and context',
});

export type Question = Static<typeof question>;

export const questions = (maxInputs: number) =>
  documented(
    Type.Array(question, {
      minItems: 1,
      title: 'a list of objects with question and context',
      description: `Questions with the texts that can have the answers. At most ${maxInputs} per request.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

/** Requests of Hugging Face's Inference API. */
export const answersRequest = Type.Object(
  {
    inputs: Type.Object(members, { title: 'an object with question and context' }),
    parameters: optional(Type.Object(answerMembers)),
    ...overflowMembers,
  },
  { $id: 'AnswersRequest' },
);

const answer = Type.Object(
  {
    answer: Type.String({ description: 'The part of the context.' }),
    score: Type.Number(),
    start: Type.Integer({ description: 'Start of the answer in the context, in Unicode code points.' }),
    end: Type.Integer({ description: 'End of the answer in the context, in Unicode code points.' }),
  },
  { $id: 'Answer' },
);

export const questionAnsweringResult = Type.Object(
  { answers: Type.Array(answer, { description: 'The best answer first.' }) },
  { $id: 'QuestionAnsweringResult' },
);

export const answersResponse = Type.Union([answer, Type.Array(answer)], {
  $id: 'AnswersResponse',
  description: 'The answer, or a list of several.',
});
