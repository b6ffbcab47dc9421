import type { AnswerPlan } from '../../../core/model/answer-plan.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { shortestFloat32 } from '../../../core/numbers/float32.ts';
import { itemAt } from '../../../core/values/item-at.ts';
import type { EngineAnswer, EngineRequest, RequestOverflow } from '../engine/serving.ts';
import type { WindowAnswers } from '../maths/answer-spans.ts';
import type { Question } from '../schemas/question-answering.ts';
import { type Answer, chooseAnswers } from '../maths/choose-answers.ts';

interface AnswerRequest {
  readonly questions: readonly Question[];
  readonly plan: AnswerPlan;
  readonly overflow?: RequestOverflow;
}

/** Finds the answers of each question in its context. */
export async function answerQuestions(
  { questions, plan, overflow }: AnswerRequest,
  run: (request: Omit<EngineRequest, 'signal'>) => Promise<EngineAnswer>,
): Promise<{ readonly answers: readonly Answer[] }[]> {
  const { results } = await run({
    inputs: questions.map(({ question, context }) => ({ text: question, pair: context })),
    view: { kind: 'result', format: 'json', options: { answers: plan } },
    overflow,
  });
  return questions.map(({ context }, at) => {
    const { windows } = parseJsonText(Buffer.from(itemAt(results, at)).toString()) as {
      readonly windows: readonly WindowAnswers[];
    };
    return {
      answers: chooseAnswers(windows, context, plan).map((answer) => ({
        ...answer,
        score: shortestFloat32(Math.fround(answer.score)),
      })),
    };
  });
}
