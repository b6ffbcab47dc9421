import type { AnswerSummary } from '../../streams/stream.ts';
import type { ClassifiedAnswer } from '../provider.ts';

/** The usage of a classification, which has input tokens only. */
export function classifiedSummary({ tokens }: Pick<ClassifiedAnswer, 'tokens'>): AnswerSummary {
  const counts = {
    completionTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
  };
  const usage = tokens === undefined ? undefined : { promptTokens: tokens, ...counts };
  return { usage, outputLength: 0, outputText: '', finishReason: undefined };
}
