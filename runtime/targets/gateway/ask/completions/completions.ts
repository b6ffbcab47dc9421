import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Lifecycle } from '../../../../serve/lifecycle.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { CurrentModels, ModelSet } from '../models/model-set.ts';
import type { Telemetry } from './telemetry.ts';
import { openAccount } from './account.ts';
import type { CompletionAnswer, CompletionRequest, Completions } from './completion.ts';
import { callModel } from './call-model.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { streamError } from './stream-error.ts';
import { requireOwnObjects } from './own-objects.ts';
import { usersOf } from './users-of.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { checkInput } from './guarded-input.ts';
import { estimateOf, pricesOf } from './priced-targets.ts';
import { createRequestReader } from './read-request.ts';
import { lengthOfFile } from '../tokens/media/sound-seconds.ts';
import { countRequest } from './request-counts.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

export interface CompletionParts {
  readonly state: Pick<GatewayState, 'identity' | 'ledger' | 'prices' | 'priceMaps' | 'objects'>;
  readonly models: CurrentModels;
  readonly telemetry: Telemetry;
  readonly tokenCounter: TokenCounter;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Handles the requests of all routes that call models. The specifics of each route are in `endpoints/`. */
export function createCompletions(parts: CompletionParts): Completions {
  const { state, models, telemetry, tokenCounter, lifecycle, clock, log } = parts;
  const { identity, ledger, objects } = state;
  const accountParts = { ledger, objects, telemetry, lifecycle, clock, log };
  const read = createRequestReader();

  /** Checks the request completely and reserves its budget before any model or encoder is called. */
  const begin = async (
    request: CompletionRequest,
    set: ModelSet,
    trace: ReturnType<Telemetry['trace']>,
    account: ReturnType<typeof openAccount>,
  ) => {
    const { caller, signal, startedAt } = request;
    const rules = ENDPOINTS[request.endpoint];
    const { body, bytes, members, model } = read(request.bytes, rules.schema, request.inPath);
    const users = usersOf(rules, body, caller, set.requests);
    const spender = await identity.spender(caller, users.payer);
    await requireOwnObjects(objects, spender.user.userId, body, bytes);
    const resolved = set.router.resolve(model);
    identity.requireModel(spender, resolved.alias ?? resolved.targets[0]?.key ?? '');
    const { isSound } = rules;
    const required = set.requirePricing;
    const list = await pricesOf(state, resolved.targets, startedAt, { required, isSound });
    const keys = resolved.targets.map(({ key }) => key);
    const seconds = request.file && lengthOfFile(request.file);
    const sound = rules.sound?.(body, seconds ?? 0);
    const counts = await countRequest(tokenCounter, rules, body, keys, sound?.audioInput);
    const tokens = {
      counts,
      sound,
      prompt: counts.maxPrompt,
      output: rules.maxOutputTokens(body, set.assumedOutputTokens, seconds),
    };
    const guards = set.guardrails.rules(body['guardrails']);
    const estimate = estimateOf(list, tokens, set.allowUnpriced);
    await account.open(spender, { estimate, prices: list, tokens, endUser: users.endUser });
    // After the reservation, so that requests over their limits do not keep the encoders of guardrails busy.
    const guarded = await checkInput(set.guardrails, guards, body, request);
    const headers = forwardedHeaders(request.headers, rules.forwardedHeaders);
    const sent = guarded.body === undefined ? { bytes, members } : { bytes: guarded.body };
    const { unsupportedTools } = set.requests;
    const files = request.file && [request.file];
    const call = {
      ...sent,
      files,
      body,
      headers,
      trace: trace?.headers,
      signal,
      isBilled: true,
      unsupportedTools,
    };
    const { syntax } = rules;
    if (syntax && body['stream'] === true)
      request.onStreamPending?.((error) => syntax.error(streamError(error), undefined));
    return { rules, resolved, guarded, call };
  };

  return {
    async answer(request): Promise<CompletionAnswer> {
      const held = models.hold();
      const trace = telemetry.trace(request.headers);
      const account = openAccount(accountParts, request, trace);
      try {
        const begun = await begin(request, held.set, trace, account);
        return await callModel({ ...begun, request, account, held, clock, log });
      } catch (error) {
        const { reason } = request.signal;
        const failure: unknown = reason instanceof AppError ? reason : error;
        await account.fail(AppError.from(failure));
        account.whenRecorded(held.release);
        throw failure;
      }
    },
  };
}
