import type { AnswerSummary, CountedTokens } from '../../providers/streams/stream.ts';
import type { ExpectedTokens } from './priced-targets.ts';
import { tokensOf } from './usage-entries.ts';

/** Answers that a guardrail rejected, of which the provider bills each. */
export interface RejectedAnswers {
  readonly count: () => number;
  add(key: string, summary: AnswerSummary): void;
  /** The summary of an answer with the tokens of all rejected ones. */
  with(key: string, summary: AnswerSummary): AnswerSummary;
  /** The summary of the rejected answers; undefined if there are none. */
  summary(): AnswerSummary | undefined;
}

export function createRejectedAnswers(expected: ExpectedTokens): RejectedAnswers {
  const counts: CountedTokens[] = [];
  let last: AnswerSummary | undefined;
  const summed = (summary: AnswerSummary, all: readonly CountedTokens[]): AnswerSummary => {
    const sum = (read: (tokens: CountedTokens) => number): number =>
      all.reduce((total, tokens) => total + read(tokens), 0);
    const usage = {
      promptTokens: sum((tokens) => tokens.promptTokens),
      completionTokens: sum((tokens) => tokens.completionTokens),
      cachedTokens: sum((tokens) => tokens.cachedTokens),
      cacheWriteTokens: sum((tokens) => tokens.cacheWriteTokens),
      cacheWrite1hTokens: sum((tokens) => tokens.cacheWrite1hTokens),
      reasoningTokens: 0,
    };
    return { ...summary, usage };
  };
  return {
    count: () => counts.length,
    add(key, summary) {
      counts.push(tokensOf(key, summary, expected));
      last = summary;
    },
    with: (key, summary) =>
      counts.length === 0 ? summary : summed(summary, [...counts, tokensOf(key, summary, expected)]),
    summary: () => last && summed(last, counts),
  };
}
