import { planAnswers } from '#core/model/answer-plan.ts';
import type { ServingEngine } from '../../engine/serving.ts';
import { answerQuestions } from '../../predict/answers.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { AnswersRequest } from '../../schemas/tei.ts';
import { type ModelCaller, runModel } from '../run-model.ts';

/** The answers of one question, in the format of the Inference API: a single answer is not in a list. */
export async function answers(
  caller: ModelCaller,
  engine: ServingEngine,
  body: AnswersRequest,
): Promise<unknown> {
  const {
    top_k: topK,
    max_answer_len: maxLength,
    handle_impossible_answer: canBeEmpty,
  } = body.parameters ?? {};
  const [result] = await answerQuestions(
    {
      questions: [body.inputs],
      plan: planAnswers({ topK, maxLength, canBeEmpty }),
      overflow: overflowOf(body),
    },
    (request) => runModel(caller, engine, request),
  );
  const found = result?.answers ?? [];
  return found.length === 1 ? found[0] : found;
}
