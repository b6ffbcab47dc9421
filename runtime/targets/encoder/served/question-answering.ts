import { type Static, Type } from 'typebox';
import { DEFAULT_ANSWERS, MAX_ANSWERS, planAnswers } from '#core/model/answer-plan.ts';
import { isObject } from '#core/json/is-object.ts';
import { itemAt } from '#core/values/item-at.ts';
import { memberOf } from '#core/values/member-of.ts';
import { documented } from '#serve/http/documented.ts';
import { optional } from '#serve/http/schemas.ts';
import type { RunModel } from '../engine/serving.ts';
import { readRenderedJson } from '../json/json.ts';
import type { WindowAnswers } from '../math/answer-spans.ts';
import { overflowMembers, NOT_EMPTY, textMember } from '../schemas/texts.ts';
import { type Answers, answersIn } from '../tasks/question-answering.ts';
import { hasParameters } from './hugging-face.ts';
import type { BodyOf, HuggingFaceTask, ServedType } from './served-type.ts';

const count = (value: number, description: string) =>
  optional(Type.Integer({ minimum: 1, maximum: MAX_ANSWERS, default: value, description }));

/** The options have the same names as in the transformers pipeline. */
const options = {
  top_k: count(DEFAULT_ANSWERS.topK, 'Maximum number of answers.'),
  max_answer_len: count(DEFAULT_ANSWERS.maxLength, 'Maximum number of tokens in an answer.'),
  handle_impossible_answer: optional(
    Type.Boolean({ default: false, description: 'Whether an empty answer is allowed.' }),
  ),
};

const members = { question: textMember, context: textMember };
const question = Type.Object(members, {
  $id: 'Question',
  additionalProperties: false,
  title: 'an object with question and context',
});
type Question = Static<typeof question>;
type Body = BodyOf<typeof options, Question>;
type Options = Partial<Pick<Body, keyof typeof options>>;

const questions = (maxInputs: number) =>
  documented(
    Type.Array(question, {
      minItems: 1,
      title: 'a list of objects with question and context',
      description: `Questions, each with a context that can contain the answer. At most ${maxInputs} per request.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

const answer = Type.Object(
  {
    answer: Type.String({ description: 'Answer text, as it appears in the context.' }),
    score: Type.Number(),
    start: Type.Integer({ description: 'Start of the answer in the context, in Unicode code points.' }),
    end: Type.Integer({ description: 'End of the answer in the context, in Unicode code points.' }),
  },
  { $id: 'Answer' },
);

const result = Type.Object(
  { answers: Type.Array(answer, { description: 'Answers, best first.' }) },
  { $id: 'QuestionAnsweringResult' },
);

/** Finds the answers of each question in its context. */
async function answerQuestions(
  asked: readonly Question[],
  { top_k: topK, max_answer_len: maxLength, handle_impossible_answer: canBeEmpty }: Options,
  run: RunModel,
): Promise<Answers[]> {
  const plan = planAnswers({ topK, maxLength, canBeEmpty });
  const { results } = await run({
    inputs: asked.map(({ question: words, context }) => ({ text: words, pair: context })),
    view: { kind: 'result', format: 'json', options: { answers: plan } },
  });
  return asked.map(({ context }, at) => {
    const { windows } = readRenderedJson(itemAt(results, at)) as {
      readonly windows: readonly WindowAnswers[];
    };
    return answersIn(windows, context, plan);
  });
}

const foreignRequest = Type.Object(
  {
    inputs: Type.Object(members, { title: 'an object with question and context' }),
    parameters: optional(Type.Object(options)),
    ...overflowMembers,
  },
  { $id: 'AnswersRequest' },
);

/** The answers to one question. */
const huggingFace: HuggingFaceTask<Static<typeof foreignRequest>> = {
  request: () => foreignRequest,
  response: Type.Union([answer, Type.Array(answer)], {
    $id: 'AnswersResponse',
    description: 'The best answer, or a list of answers.',
  }),
  example: () => ({
    request: { inputs: { question: 'Where does Anna live?', context: 'Anna lives in Berlin.' } },
    response: { answer: 'Berlin', score: 0.98, start: 14, end: 20 },
  }),
  isTheirs: (body) => isObject(memberOf(body, 'inputs')) || hasParameters(body),
  note: 'A body with one question as `inputs`, or with `parameters`, gets a response in the format of the Inference API, as at `/`.',
  async answer(_, body, run) {
    const [found] = await answerQuestions([body.inputs], body.parameters ?? {}, run);
    const { answers = [] } = found ?? {};
    // If only one answer is requested, it is not wrapped in a list.
    return answers.length === 1 ? answers[0] : answers;
  },
};

export const servedQuestionAnswering: ServedType<Body> = {
  texts: {
    summary: 'Find the answer to each question in its context.',
    tool: 'Finds the answers to questions in texts.',
  },
  request: (_, { maxClientBatch }) => ({ inputs: questions(maxClientBatch), options }),
  result: () => result,
  example: () => ({
    request: {
      inputs: [{ question: 'Where does Anna live?', context: 'Anna lives in Berlin.' }],
      top_k: 1,
    },
    result: { answers: [{ answer: 'Berlin', score: 0.98, start: 14, end: 20 }] },
  }),
  bench: (words) => ({ inputs: [{ question: 'Which one?', context: words }] }),
  info: () => ({ question_answering: {} }),
  predict: {
    together: async (_, body, run) => await answerQuestions(body.inputs, body, run),
  },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/question_answering_pb.ts')).QuestionAnswering,
};
