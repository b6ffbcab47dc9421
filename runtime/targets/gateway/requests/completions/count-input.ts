import type { TSchema } from 'typebox';
import type { ByteHold } from '#core/limits/byte-budget.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Payer } from '../../accounts/identity/identity.ts';
import { NO_LIMITS, type FreeCall } from '../../accounts/ledger/ledger.ts';
import type { CurrentModels } from '../models/model-set.ts';
import type { FailureKind, ProviderCall } from '../../providers/adapters/provider.ts';
import type { Wire } from '../../providers/shapes/chat.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Policy, RequestContent } from '../policy/policy.ts';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { requiredKeysOf } from '../routing/required-keys.ts';
import type { Target } from '../routing/routing.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import type { RequestPolicy } from '../../providers/shapes/policies.ts';
import { responsesEndpoint } from './endpoints/openai.ts';
import { setRateHeaders } from './account.ts';
import { createRequestReader } from './read-request.ts';
import { countTokensOfRequest } from './estimate.ts';

interface CountRequest {
  readonly wire: Wire;
  readonly schema: TSchema;
  readonly caller: Payer;
  /** Route path. */
  readonly endpoint: string;
  readonly requestId: string;
  readonly setHeader: (name: string, value: string) => void;
  readonly bytes: Uint8Array;
  readonly hold: ByteHold;
  /** Client headers to pass to a provider with the same API. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface InputCount {
  readonly tokens: number;
  /** Whether the count is the gateway's estimate rather than the provider's count. */
  readonly isEstimated: boolean;
}

/**
 * Counts a prompt's tokens without calling a model and free of charge. Throws if the limits on such calls are
 * exceeded.
 */
export type CountInput = (request: CountRequest) => Promise<InputCount>;

interface CountParts {
  readonly state: Pick<GatewayState, 'identity' | 'objects' | 'ledger'>;
  readonly models: CurrentModels;
  readonly policy: Policy;
  readonly tokenCounter: TokenCounter;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Failures that concern the request itself. After any other failure, an estimate is more useful to the
 * client than an error.
 */
const REQUEST_FAILURES = new Set<FailureKind>(['bad_request', 'too_large', 'cancelled']);

export function createInputCounts({
  state: { identity, objects, ledger },
  models,
  policy,
  tokenCounter,
  clock,
}: CountParts): CountInput {
  const read = createRequestReader();
  return async ({ wire, schema, bytes: given, hold, headers, ...request }) => {
    const { caller, signal } = request;
    const held = models.hold();
    let call: FreeCall | undefined;
    try {
      const { router, requests } = held.set;
      const { model: name, references, ...asRead } = await read({ bytes: given, hold }, schema);
      const resolved = router.resolve(name);
      const [target] = resolved.targets;
      const key = target?.key ?? name;
      // With the master key, the request does not have to specify a user, because counting is free.
      const spender = caller.kind === 'master' ? undefined : await identity.spender(caller, undefined);
      if (spender) identity.requireModel(spender, resolved.alias ?? key);
      const places =
        spender && references.size > 0 ? await objects.requireOwn(references, spender.data.viewer) : [];
      const requiredKeys = requiredKeysOf(router, places);
      const owner = spender?.user.userId;
      call = spender && (await ledger.admitFree(spender));
      if (call?.rate) setRateHeaders(request.setHeader, call.rate);
      const about = { ...request, spender, model: name, startedAt: clock.now(), size: given.byteLength };
      const admission = call ?? NO_LIMITS;
      const { content, prompt } = await policy.screen({ ...about, admission }, asRead, held.set);
      try {
        const counted = await countWith(target, {
          wire,
          content,
          headers,
          signal,
          requests,
          requiredKeys,
          owner,
        });
        prompt?.end(key, undefined, undefined);
        if (counted !== undefined) return { tokens: counted, isEstimated: false };
      } catch (error) {
        prompt?.end(key, undefined, AppError.from(error));
        throw error;
      }
      const rules = wire === 'responses' ? responsesEndpoint : {};
      const counts = await countTokensOfRequest(tokenCounter, rules, content.body, [key], {
        owner,
      });
      return { tokens: counts.maxPrompt, isEstimated: true };
    } finally {
      call?.end();
      held.release();
    }
  };
}

interface ProviderCount {
  readonly wire: Wire;
  readonly content: Passed<RequestContent>;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly requests: RequestPolicy;
  readonly requiredKeys: ProviderCall['requiredKeys'];
  readonly owner: string | undefined;
}

/**
 * The provider's count; undefined if the provider could not count the tokens. Throws if it rejects the
 * request.
 */
async function countWith(
  target: Target | undefined,
  { content, requests: { unsupportedTools }, ...facts }: ProviderCount,
): Promise<number | undefined> {
  const call = { ...content, ...facts, unsupportedTools, model: target?.model ?? '' };
  const answer = await target?.provider.countTokens?.(derivedFrom(content, call));
  if (answer?.kind === 'counted') return answer.tokens;
  if (answer && REQUEST_FAILURES.has(answer.failure.kind)) throw answer.failure.error;
  return undefined;
}
