import { shortestFloat32 } from '#core/numbers/float32.ts';
import { configError } from '#contract/errors.ts';
import { type AnswerPlan, answerCandidates, MAX_ANSWERS, planAnswers } from '#core/model/answer-plan.ts';
import { answerSpans, type WindowAnswers } from '../math/answer-spans.ts';
import { type SpanAnswer, chooseAnswers } from '../math/choose-answers.ts';
import { finiteOutput } from '../math/inference.ts';
import type { Task } from './task.ts';

/** The candidate answers in each window of a context. The answers are chosen among them. */
interface QuestionAnsweringResult {
  readonly windows: readonly WindowAnswers[];
}

export const questionAnsweringTask: Task<QuestionAnsweringResult> = {
  details: true,
  printedAs: 'predictions',
  flags: {
    question: {
      value: 'text',
      help: 'Question answering models: the question; each text is a context that can contain the answer',
    },
    'top-k': {
      value: 'count',
      help: 'Fill-mask models: candidates per mask (5); question answering models: maximum answers per text (1); sequence classification models: number of highest-scoring labels to add; object detection models: maximum objects per image (all)',
    },
    'max-answer-len': {
      value: 'count',
      help: 'Question answering models: maximum tokens per answer',
      defaultText: '15',
    },
    'handle-impossible-answer': {
      help: 'Question answering models: allow an empty answer',
    },
  },

  printOptions(flags) {
    const question = flags.text('question');
    if (question === undefined) {
      throw configError('--question is missing. Pass the question to answer from each text.');
    }
    const plan = planAnswers({
      topK: flags.count('top-k', MAX_ANSWERS),
      maxLength: flags.count('max-answer-len', MAX_ANSWERS),
      canBeEmpty: flags.isSet('handle-impossible-answer'),
    });
    return { questions: { question, plan } };
  },

  result({ text, values, windows }, manifest, options) {
    if (windows) {
      return {
        windows: windows.flatMap((window) => questionAnsweringTask.result(window, manifest, options).windows),
      };
    }
    if (!text.details) throw new Error('tokenized without details');
    const plan = options.answers ?? planAnswers({});
    const limits = { count: answerCandidates(plan), maxLength: plan.maxLength };
    return { windows: [answerSpans(finiteOutput(values, manifest), text.details, limits)] };
  },

  inputs: (context, { questions }) => [{ text: questions?.question ?? '', pair: context }],

  printed(inference, { manifest }, { questions }, context) {
    const plan = questions?.plan ?? planAnswers({});
    const { windows } = questionAnsweringTask.result(inference, manifest, { answers: plan });
    return answersIn(windows, context, plan);
  },
};

export interface Answers {
  readonly answers: readonly SpanAnswer[];
}

/** The answers found in a context, with scores formatted for printing. */
export const answersIn = (windows: readonly WindowAnswers[], context: string, plan: AnswerPlan): Answers => ({
  answers: chooseAnswers(windows, context, plan).map((answer) => ({
    ...answer,
    score: shortestFloat32(Math.fround(answer.score)),
  })),
});
