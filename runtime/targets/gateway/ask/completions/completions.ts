import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { createBodyParser } from '../../../../serve/http/body.ts';
import type { Lifecycle } from '../../../../serve/lifecycle.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { CurrentModels, ModelSet } from '../models/model-set.ts';
import type { Telemetry } from './telemetry.ts';
import type { Json } from '../shapes/chat.ts';
import { openAccount } from './account.ts';
import type { CompletionAnswer, CompletionRequest, Completions } from './completion.ts';
import { askModel } from './ask-model.ts';
import { listMembers } from '../../shared/json-members.ts';
import { requireDistinctMembers } from './distinct-members.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { checkInput } from './guarded-input.ts';
import { estimateOf, pricesOf } from './priced-targets.ts';
import { requireWellFormedModel } from './well-formed-model.ts';

export interface CompletionParts {
  readonly state: Pick<GatewayState, 'identity' | 'ledger' | 'prices'>;
  readonly models: CurrentModels;
  readonly telemetry: Telemetry;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Schemas of tools lie in requests, and they may be deep. */
const MOST_NESTED = 200;

/** One way for all routes; what is particular to each is in `endpoints/`. */
export function createCompletions(parts: CompletionParts): Completions {
  const { state, models, telemetry, lifecycle, clock, log } = parts;
  const { identity, ledger, prices } = state;
  const accountParts = { ledger, telemetry, lifecycle, clock, log };
  const parse = createBodyParser({ maxDepth: MOST_NESTED });

  /** Everything that can be wrong with a request is found before anybody is asked. */
  const begin = async (
    request: CompletionRequest,
    set: ModelSet,
    trace: ReturnType<Telemetry['trace']>,
    account: ReturnType<typeof openAccount>,
  ) => {
    const { caller, signal, startedAt } = request;
    const rules = ENDPOINTS[request.endpoint];
    const body = parse(request.bytes, rules.schema) as Json;
    const bytes = withoutByteOrderMark(request.bytes);
    const members = listMembers(bytes);
    requireDistinctMembers(members);
    requireWellFormedModel(body);
    const spender = await identity.spender(caller, rules.user(body, caller));
    const resolved = set.router.resolve(body['model'] as string);
    identity.requireModel(spender, resolved.alias ?? resolved.targets[0]?.key ?? '');
    const list = await pricesOf(prices, resolved.targets, startedAt, set.requirePricing);
    const tokens = {
      prompt: rules.promptTokens(body),
      output: rules.mostOutputTokens(body, set.assumedOutputTokens),
    };
    const guards = set.guardrails.rules(body['guardrails']);
    const estimate = estimateOf(list, tokens, set.allowUnpriced);
    await account.open(spender, { estimate, prices: list, tokens });
    // Not before: who may ask no more is not to keep the encoders of guardrails busy.
    const guarded = await checkInput(set.guardrails, guards, body, request);
    const headers = passedOn(request, rules.passedOn);
    const sent = guarded.body === undefined ? { bytes, members } : { bytes: guarded.body };
    const call = { ...sent, body, headers, trace: trace?.headers, signal, isBilled: true };
    return { rules, resolved, guarded, call };
  };

  return {
    async answer(request): Promise<CompletionAnswer> {
      const held = models.hold();
      const trace = telemetry.trace(request.headers);
      const account = openAccount(accountParts, request, trace);
      try {
        const begun = await begin(request, held.set, trace, account);
        return await askModel({ ...begun, request, account, held, clock, log });
      } catch (error) {
        const { reason } = request.signal;
        const failure: unknown = reason instanceof AppError ? reason : error;
        await account.fail(AppError.from(failure));
        account.whenBooked(held.release);
        throw failure;
      }
    },
  };
}

function passedOn(
  { headers }: CompletionRequest,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (names.length === 0) return undefined;
  const given = names.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value)) as Record<string, string>;
}

/** Some programs start a text with a byte order mark, which providers reject. */
const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef ? bytes.subarray(3) : bytes;
