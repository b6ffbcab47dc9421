import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import { NO_LIMITS, type UsageEntry } from '../../accounts/ledger/ledger.ts';
import { isWork, type StoredObject, type WorkPlan } from '../../accounts/objects/objects.ts';
import { pricesOf } from '../completions/estimate.ts';
import { costOfUsage, providerOf, savedByCache } from '../completions/settle-request.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { withoutContent } from '../policy/without-content.ts';
import { cancelRevoked } from './watch-keys.ts';
import { createdIds, createdItems } from '../../providers/references.ts';
import { linesOf, storedWith } from './batch-output.ts';
import type { ProviderCalls } from './provider-calls.ts';
import { pushAll } from '#core/values/push-all.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { TokenPrice } from '../../shared/price.ts';
import type { CountedTokens, TokenUsage } from '../../providers/streams/stream.ts';
import { readUsage } from '../../providers/streams/tally.ts';

interface SettlerParts {
  readonly state: Pick<
    GatewayState,
    'identity' | 'objects' | 'objectMasks' | 'ledger' | 'prices' | 'priceMaps'
  >;
  readonly calls: ProviderCalls;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Bills batches and responses when they are finished. Each is billed exactly once, because its usage row
 * has the ID of its reservation.
 */
export interface Settler {
  /**
   * Receives an object's state as reported by the provider. Bills the object if it is finished, and adds its
   * output to its user's files.
   */
  seen(object: StoredObject, content: Json): Promise<void>;
  /** Bills the batch that produced an output file. Throws a ConflictError if that is not possible yet. */
  beforeDelete(fileId: string): Promise<void>;
  /** Requests the state of all unpaid objects that have not been checked for a while. */
  check(signal: AbortSignal): Promise<void>;
}

const FINAL = {
  batch: new Set<unknown>(['completed', 'failed', 'expired', 'cancelled']),
  response: new Set<unknown>(['completed', 'failed', 'incomplete', 'cancelled']),
};

const PATHS = { batch: '/batches', response: '/responses' };

/** How often the state of an object is requested from its provider. */
const CHECK_MS = { batch: 60_000, response: 10_000 };

/**
 * After this time, a reservation without an object is assumed to be left over from a gateway that was
 * killed, and an object that the provider does not find counts as deleted.
 */
const LOST_AFTER_MS = 3_600_000;

const DELETED = 'deleted';

/** How many of a batch's responses are recorded together. */
const MAX_ADDED = 500;

export function createSettler({ state, calls, clock, log }: SettlerParts): Settler {
  const { identity, objects, objectMasks, ledger } = state;
  /** Objects that this process is currently billing. */
  const running = new Map<string, Promise<void>>();

  const priceAt = async ({ createdAt }: StoredObject, model: string, isBatch: boolean) =>
    await calls.within(async ({ router }) => {
      const { targets } = router.resolve(model);
      return (await pricesOf(state, targets, createdAt, { required: false, isBatch })).get(model);
    });

  const billBatch = async (object: StoredObject, plan: WorkPlan, content: Json): Promise<UsageEntry> => {
    const bill = createBatchBill(plan, await priceAt(object, plan.model, true));
    const { status, output_file_id: output, request_counts: counts } = content;
    if (status === DELETED) bill.addUnread(plan.requests);
    if (typeof output === 'string') {
      const path = `/files/${encodeURIComponent(output)}/content`;
      const { provider, providerKey } = object;
      const owned = { kind: 'file', id: output, provider, providerKey } as const;
      try {
        const headers = { accept: '*/*' };
        const { pieces } = await calls.open(
          owned,
          withoutContent({ method: 'GET', path, headers, signal: NEVER }, NO_LIMITS),
        );
        let stored: StoredObject[] = [];
        for await (const line of linesOf(pieces)) {
          const answer = bill.add(line);
          if (answer) pushAll(stored, storedWith(object, plan.model, answer, clock.now()));
          if (stored.length < MAX_ADDED) continue;
          await objects.addMissing(stored);
          stored = [];
        }
        await objects.addMissing(stored);
      } catch (error) {
        if (!isMissing(error)) throw error;
        const { completed } = membersOf(counts);
        bill.addUnread(typeof completed === 'number' ? completed : plan.requests);
      }
    }
    return bill.entry(object, status === 'completed' ? undefined : `The batch is ${String(status)}.`);
  };

  const billResponse = async (object: StoredObject, plan: WorkPlan, content: Json): Promise<UsageEntry> => {
    const usage = answerUsage(content);
    const { status } = content;
    const price = await priceAt(object, plan.model, false);
    const isFailed = status === 'failed' || status === 'cancelled';
    const tokens = {
      promptTokens: usage?.promptTokens ?? (isFailed ? 0 : plan.inputTokens),
      completionTokens: usage?.completionTokens ?? (isFailed ? 0 : plan.outputTokens),
      cachedTokens: usage?.cachedTokens ?? 0,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
    };
    return {
      model: plan.model,
      provider: providerOf(plan.model),
      endpoint: plan.endpoint,
      ...tokens,
      cost: costOfUsage(tokens, price),
      cacheSaved: savedByCache(tokens, price),
      providerKey: object.providerKey,
      pricedBy: price ? (price.source ?? 'own') : null,
      status: isFailed ? 'error' : 'success',
      errorMessage: isFailed ? `The response is ${status}.` : null,
      statusCode: isFailed ? 502 : 200,
      latencyMs: clock.now() - object.createdAt,
      estimated: usage === undefined && !isFailed,
      requestId: object.id,
      attempt: 1,
    };
  };

  const bill = async (object: StoredObject, content: Json): Promise<void> => {
    const { kind, plan, held } = object;
    if (!held || !isWork(kind)) return;
    if (plan) {
      const entry = await (kind === 'batch' ? billBatch : billResponse)(object, plan, content);
      await ledger.settleHeld(held, entry);
    } else await ledger.settleHeld(held);
    await objects.paid(object);
  };

  /** Ensures that an object is billed only once at a time. */
  const billOnce = async (object: StoredObject, content: Json): Promise<void> => {
    const key = `${object.kind} ${object.id}`;
    let billing = running.get(key);
    if (!billing) {
      billing = bill(object, content).finally(() => running.delete(key));
      running.set(key, billing);
    }
    await billing;
  };

  /** Adds the files written by a batch, along with the values that were masked in its requests. */
  const addOutputs = async (batch: StoredObject, content: Json): Promise<void> => {
    const outputs = outputsOf(batch, content, clock.now());
    const { input_file_id: input } = content;
    if (typeof input === 'string')
      for (const { kind, id } of outputs) await objectMasks.copy({ kind: 'file', id: input }, { kind, id });
    await objects.addMissing(outputs);
  };

  const seen: Settler['seen'] = async (object, content) => {
    await objects.update(object, object.kind === 'response' ? withoutOutput(content) : content);
    if (object.kind === 'response') await objects.addMissing(createdItems(object, createdIds(content)));
    if (object.kind === 'batch') await addOutputs(object, content);
    if (!isWork(object.kind) || !object.held || !FINAL[object.kind].has(content['status'])) return;
    try {
      await billOnce(object, content);
    } catch (error) {
      // A later check will bill the object.
      log.error({ err: error, [object.kind]: object.id }, 'usage not recorded yet');
    }
  };

  const ask = async (object: StoredObject, signal: AbortSignal): Promise<void> => {
    const { kind, id } = object;
    if (!isWork(kind)) return;
    try {
      const path = `${PATHS[kind]}/${encodeURIComponent(id)}`;
      const { json } = await calls.call(object, withoutContent({ method: 'GET', path, signal }, NO_LIMITS));
      await seen(object, json);
    } catch (error) {
      // An object that the provider has deleted is billed as estimated. A new object that is not found may
      // only not be visible on all of the provider's servers yet.
      const isOld = clock.now() - object.createdAt > LOST_AFTER_MS;
      if (isMissing(error) && isOld) await billOnce(object, { id, status: DELETED });
      else log.warn({ err: error, [kind]: id }, 'state not known');
    }
  };

  return {
    seen,
    async beforeDelete(fileId) {
      const [batch] = await objects.unpaidWith(fileId);
      if (!batch) return;
      await ask(batch, NEVER);
      const after = await objects.find('batch', batch.id);
      if (after?.held)
        throw new AppError(
          'ConflictError',
          `Batch '${batch.id}' still needs file '${fileId}'. Retry when the batch is finished.`,
          {
            reason: 'file_in_use',
          },
        );
    },
    async check(signal) {
      const pathOf = ({ kind, id }: StoredObject): string =>
        !isWork(kind) ? '' : `${PATHS[kind]}/${encodeURIComponent(id)}`;
      await cancelRevoked({ identity, objects, calls, log, pathOf, onCancelled: seen }, signal);
      for (const kind of ['batch', 'response'] as const) {
        for (const object of await objects.takeUnpaid(kind, clock.now() - CHECK_MS[kind])) {
          if (signal.aborted) return;
          await ask(object, signal);
        }
      }
      for (const held of await objects.lostHolds(clock.now() - LOST_AFTER_MS)) await ledger.settleHeld(held);
    },
  };
}

const NEVER = new AbortController().signal;

/** The members of a response that are stored in the database, which do not include any content. */
const withoutOutput = ({ id, status, model, usage }: Json): Json => ({ id, status, model, usage });

const isMissing = (error: unknown): boolean => error instanceof AppError && error.code === 'NotFoundError';

/** The files written by a batch, which belong to its user. */
function outputsOf(batch: StoredObject, content: Json, now: number): StoredObject[] {
  const ids = [content['output_file_id'], content['error_file_id']].filter((id) => typeof id === 'string');
  return ids.map((id) => ({
    ...batch,
    kind: 'file',
    id,
    createdAt: Math.floor(now),
    content: { id, object: 'file', purpose: 'batch_output' },
    plan: undefined,
    held: undefined,
  }));
}

/** The total usage of a batch's responses. */
interface BatchBill {
  /** Adds an output line. Returns its response, if it has one. */
  add(line: string): Json | undefined;
  /** Adds responses that could not be read, with their estimated usage. */
  addUnread(requests: number): void;
  entry(object: Pick<StoredObject, 'id' | 'content' | 'providerKey'>, error: string | undefined): UsageEntry;
}

/** Each response is priced separately, because the length of its prompt can determine the rate. */
function createBatchBill(plan: WorkPlan, price: TokenPrice | undefined): BatchBill {
  const sum = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
  let cost = price === undefined ? null : 0n;
  let saved = 0n;
  let isEstimated = false;
  const add = (tokens: CountedTokens): void => {
    sum.promptTokens += tokens.promptTokens;
    sum.completionTokens += tokens.completionTokens;
    sum.cachedTokens += tokens.cachedTokens;
    if (cost !== null) cost += costOfUsage(tokens, price) ?? 0n;
    saved += savedByCache(tokens, price) ?? 0n;
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
      // Failed requests cost nothing.
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
    entry: ({ id, providerKey }, error) => ({
      model: plan.model,
      provider: providerOf(plan.model),
      endpoint: '/v1/batches',
      ...sum,
      cost,
      cacheSaved: saved === 0n ? null : saved,
      providerKey,
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

/** A response's body; undefined if it is unreadable. */
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

/** The usage in a chat completion, embedding or response. */
function answerUsage(answer: Json): TokenUsage | undefined {
  const usage = membersOf(answer['usage']);
  if (usage['prompt_tokens'] !== undefined) return readUsage(usage);
  return readUsage({
    prompt_tokens: usage['input_tokens'],
    completion_tokens: usage['output_tokens'],
    prompt_tokens_details: usage['input_tokens_details'],
    completion_tokens_details: usage['output_tokens_details'],
  });
}
