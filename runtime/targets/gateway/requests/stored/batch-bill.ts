import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { StoredObject, WorkPlan } from '../../accounts/objects/objects.ts';
import type { TokenPrice } from '../../shared/token-price.ts';
import { priceOf, providerOf } from '../completions/usage-entries.ts';
import type { CountedTokens } from '../../providers/streams/stream.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { answerUsage } from './answer-usage.ts';

/** The sum of the answers of a batch. */
export interface BatchBill {
  /** Adds a line of the output. Returns its answer, if it has one. */
  add(line: string): Json | undefined;
  /** Adds answers that cannot be read, by what was expected of them. */
  addUnread(requests: number): void;
  entry(object: Pick<StoredObject, 'id' | 'content'>, error: string | undefined): UsageEntry;
}

/** Each answer has its own price, because the length of its prompt can decide the rate. */
export function createBatchBill(plan: WorkPlan, price: TokenPrice | undefined): BatchBill {
  const sum = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
  let cost = price === undefined ? null : 0n;
  let isEstimated = false;
  const add = (tokens: CountedTokens): void => {
    sum.promptTokens += tokens.promptTokens;
    sum.completionTokens += tokens.completionTokens;
    sum.cachedTokens += tokens.cachedTokens;
    if (cost !== null) cost += priceOf(tokens, price) ?? 0n;
  };
  const addUnread = (requests: number): void => {
    if (requests === 0) return;
    isEstimated = true;
    const share = requests / Math.max(1, plan.requests);
    add({
      ...NO_TOKENS,
      promptTokens: Math.round(plan.inputTokens * share),
      completionTokens: Math.round(plan.outputTokens * share),
    });
  };
  return {
    addUnread,
    add(line) {
      if (line.trim() === '') return undefined;
      const answer = answerIn(line);
      // Requests that failed cost nothing.
      if (answer === 'failed') return undefined;
      const usage = answer && answerUsage(answer);
      if (usage?.promptTokens === undefined) addUnread(1);
      else
        add({
          ...NO_TOKENS,
          ...usage,
          promptTokens: usage.promptTokens,
          completionTokens: usage.completionTokens ?? 0,
        });
      return answer;
    },
    entry: ({ id }, error) => ({
      model: plan.model,
      provider: providerOf(plan.model),
      endpoint: '/v1/batches',
      ...sum,
      cost,
      pricedBy: price ? (price.source ?? 'own') : null,
      status: error === undefined ? 'success' : 'error',
      errorMessage: error ?? null,
      statusCode: error === undefined ? 200 : 502,
      estimated: isEstimated,
      requestId: id,
      attempt: 1,
    }),
  };
}

const NO_TOKENS: CountedTokens = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
};

/** The body of an answer; undefined if it cannot be read. */
function answerIn(line: string): Readonly<Record<string, unknown>> | 'failed' | undefined {
  try {
    const { response } = membersOf(parseJsonText(line));
    const { status_code: status, body } = membersOf(response);
    if (typeof status === 'number' && status >= 400) return 'failed';
    return isObject(body) ? body : response === null || response === undefined ? 'failed' : undefined;
  } catch {
    return undefined;
  }
}
