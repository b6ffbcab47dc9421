import type { TSchema } from 'typebox';
import type { GatewayState } from '../../gateway-state.ts';
import type { Payer } from '../../accounts/identity/identity.ts';
import type { CurrentModels } from '../models/model-set.ts';
import type { FailureKind } from '../providers/provider.ts';
import type { Wire } from '../shapes/wire.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { responsesEndpoint } from './endpoints/responses.ts';
import { promptTokensIn } from './endpoints/tokens.ts';
import { createRequestReader } from './read-request.ts';
import { countRequest } from './request-counts.ts';

interface CountRequest {
  readonly wire: Wire;
  readonly schema: TSchema;
  readonly caller: Payer;
  readonly bytes: Uint8Array;
  /** Headers for a provider with the same API. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface InputCount {
  readonly tokens: number;
  /** Whether the provider has not counted. */
  readonly isEstimated: boolean;
}

/** Counts the tokens of a prompt, without calling a model and without cost. */
export type CountInput = (request: CountRequest) => Promise<InputCount>;

/** Failures that are about the request itself. After all others, an estimate helps the client more than an error. */
const REQUEST_FAILURES = new Set<FailureKind>(['bad_request', 'too_large', 'cancelled']);

export function createInputCounts(
  { identity }: Pick<GatewayState, 'identity'>,
  models: CurrentModels,
  tokenCounter: TokenCounter,
): CountInput {
  const read = createRequestReader();
  return async ({ wire, schema, caller, bytes: given, headers, signal }) => {
    const held = models.hold();
    try {
      const { router, requests } = held.set;
      const { body, bytes, members, model: name } = read(given, schema);
      const resolved = router.resolve(name);
      const [target] = resolved.targets;
      if (caller.kind === 'key')
        identity.requireModel(await identity.spender(caller, undefined), resolved.alias ?? target?.key ?? '');
      const { unsupportedTools } = requests;
      const answer = await target?.provider.countTokens?.({
        wire,
        model: target.model,
        bytes,
        members,
        body,
        headers,
        signal,
        unsupportedTools,
      });
      if (answer?.kind === 'counted') return { tokens: answer.tokens, isEstimated: false };
      if (answer && REQUEST_FAILURES.has(answer.failure.kind)) throw answer.failure.error;
      const rules = wire === 'responses' ? responsesEndpoint : { promptTokens: promptTokensIn };
      const counts = await countRequest(tokenCounter, rules, body, [target?.key ?? name]);
      return { tokens: counts.maxPrompt, isEstimated: true };
    } finally {
      held.release();
    }
  };
}
