import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { createBodyParser } from '../../../../serve/http/body.ts';
import type { Lifecycle } from '../../../../serve/lifecycle.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { CurrentModels, ModelSet } from '../models/model-set.ts';
import type { Telemetry } from './telemetry.ts';
import { openAccount } from './account.ts';
import type { CompletionAnswer, CompletionRequest, Completions, PathMembers } from './completion.ts';
import { callModel } from './call-model.ts';
import { editMembers, listMembers } from '../../shared/json-members.ts';
import { requireDistinctMembers, requireWellFormedModel } from './check-body.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { streamError } from './stream-error.ts';
import { usersOf } from './users-of.ts';
import { checkInput } from './guarded-input.ts';
import { estimateOf, pricesOf } from './priced-targets.ts';
import { countRequest } from './request-counts.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { membersOf } from '../../../../core/json/members-of.ts';

export interface CompletionParts {
  readonly state: Pick<GatewayState, 'identity' | 'ledger' | 'prices' | 'priceMaps'>;
  readonly models: CurrentModels;
  readonly telemetry: Telemetry;
  readonly tokenCounter: TokenCounter;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Maximum nesting of a body. Requests contain schemas of tools, which can be deep. */
const MAX_DEPTH = 200;

/** Handles the requests of all routes that call models. The specifics of each route are in `endpoints/`. */
export function createCompletions(parts: CompletionParts): Completions {
  const { state, models, telemetry, tokenCounter, lifecycle, clock, log } = parts;
  const { identity, ledger } = state;
  const accountParts = { ledger, telemetry, lifecycle, clock, log };
  const parse = createBodyParser({ maxDepth: MAX_DEPTH });

  /** Checks the request completely and reserves its budget before any model or encoder is called. */
  const begin = async (
    request: CompletionRequest,
    set: ModelSet,
    trace: ReturnType<Telemetry['trace']>,
    account: ReturnType<typeof openAccount>,
  ) => {
    const { caller, signal, startedAt } = request;
    const rules = ENDPOINTS[request.endpoint];
    const { inPath } = request;
    const parsed = membersOf(parse(request.bytes, rules.schema));
    const body = inPath ? { ...parsed, ...inPath } : parsed;
    const bytes = withMembers(withoutByteOrderMark(request.bytes), inPath);
    const members = listMembers(bytes);
    requireDistinctMembers(members);
    const model = requireWellFormedModel(body);
    const users = usersOf(rules, body, caller, set.requests);
    const spender = await identity.spender(caller, users.payer);
    const resolved = set.router.resolve(model);
    identity.requireModel(spender, resolved.alias ?? resolved.targets[0]?.key ?? '');
    const list = await pricesOf(state, resolved.targets, startedAt, set.requirePricing);
    const keys = resolved.targets.map(({ key }) => key);
    const counts = await countRequest(tokenCounter, rules, body, keys);
    const tokens = {
      counts,
      prompt: counts.maxPrompt,
      output: rules.maxOutputTokens(body, set.assumedOutputTokens),
    };
    const guards = set.guardrails.rules(body['guardrails']);
    const estimate = estimateOf(list, tokens, set.allowUnpriced);
    await account.open(spender, { estimate, prices: list, tokens, endUser: users.endUser });
    // After the reservation, so that requests over their limits do not keep the encoders of guardrails busy.
    const guarded = await checkInput(set.guardrails, guards, body, request);
    const headers = forwardedHeaders(request, rules.forwardedHeaders);
    const sent = guarded.body === undefined ? { bytes, members } : { bytes: guarded.body };
    const { unsupportedTools } = set.requests;
    const call = { ...sent, body, headers, trace: trace?.headers, signal, isBilled: true, unsupportedTools };
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

function forwardedHeaders(
  { headers }: CompletionRequest,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (names.length === 0) return undefined;
  const entries = names.flatMap((name) => {
    const value = headers.get(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Adds members that are in the path of the request. */
function withMembers(bytes: Uint8Array, members: PathMembers | undefined): Uint8Array {
  if (!members) return bytes;
  const { model, stream } = members;
  return editMembers(bytes, { model: JSON.stringify(model), stream: JSON.stringify(stream) });
}

/** Removes a byte order mark, which some programs write and providers reject. */
const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef ? bytes.subarray(3) : bytes;
