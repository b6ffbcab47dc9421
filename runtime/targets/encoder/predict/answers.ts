import type { AnswerPlan } from '#core/model/answer-plan.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { RequestOverflow, RunModel } from '../engine/serving.ts';
import type { WindowAnswers } from '../math/answer-spans.ts';
import type { Question } from '../schemas/question-answering.ts';
import { type Answers, answersIn } from '../tasks/question-answering.ts';

interface AnswerRequest {
  readonly questions: readonly Question[];
  readonly plan: AnswerPlan;
  readonly overflow?: RequestOverflow;
}

/** Finds the answers of each question in its context. */
export async function answerQuestions(
  { questions, plan, overflow }: AnswerRequest,
  run: RunModel,
): Promise<Answers[]> {
  const { results } = await run({
    inputs: questions.map(({ question, context }) => ({ text: question, pair: context })),
    view: { kind: 'result', format: 'json', options: { answers: plan } },
    overflow,
  });
  return questions.map(({ context }, at) => {
    const { windows } = parseJsonText(Buffer.from(itemAt(results, at)).toString()) as {
      readonly windows: readonly WindowAnswers[];
    };
    return answersIn(windows, context, plan);
  });
}
