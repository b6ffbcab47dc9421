import { QuestionAnswering, QuestionAnsweringResponseSchema } from '#gen/encoder/question_answering_pb.ts';
import { planAnswers } from '#core/model/answer-plan.ts';
import { answerQuestions } from '../predict/answers.ts';
import { answerTogether } from './answer-together.ts';
import { modelMetadata } from './model-metadata.ts';
import type { ModelService } from './service.ts';

export const questionAnswering: ModelService = {
  service: QuestionAnswering,
  add(router, context, options) {
    router.service(
      QuestionAnswering,
      {
        predict: (request, call) =>
          answerTogether(context, call, request, QuestionAnsweringResponseSchema, (run) =>
            answerQuestions(
              {
                questions: request.inputs,
                plan: planAnswers({
                  topK: request.topK,
                  maxLength: request.maxAnswerLen,
                  canBeEmpty: request.handleImpossibleAnswer,
                }),
              },
              run,
            ),
          ),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};
