import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { isLarge, ownTurn } from '#platform/run-yielding.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { AnswerCache } from '../cache/answer-cache.ts';
import type { CurrentModels, ModelSet } from '../models/model-set.ts';
import type { Policy, PromptRecord } from '../policy/policy.ts';
import { derivedFrom } from '../../providers/shapes/passed.ts';
import type { RequestSampler, VariantRequest } from './sampled-requests.ts';
import { costOfUsage, tokensOf } from './settle-request.ts';
import type { Telemetry } from './telemetry.ts';
import { type ChosenVariant, chooseVariant, VARIANT_HEADER } from './variant.ts';
import { openRequestAccount, createLiveRequests } from './account.ts';
import type { ProviderQueue } from '../routing/provider-queue.ts';
import { openQueued, type QueuedRequest } from '../routing/queued-request.ts';
import type { CompletionAnswer, CompletionRequest, Completions, Endpoint } from './completion.ts';
import { callModel, streamError, type CallModelParts } from './call-model.ts';
import {
  answerFromCache,
  openCachedRequest,
  createAnswerKeeper,
  type CachedRequest,
  type CacheHit,
} from './cached-request.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import {
  expectedUnits,
  imageVariant,
  costOfTarget,
  estimateOf,
  countTokensOfRequest,
  type PriceList,
  pricesOf,
} from './estimate.ts';
import { tagsOf, usersOf, forwardedHeaders, createRequestReader, withMetadata } from './read-request.ts';
import { cheapestFirst } from '../routing/alias-order.ts';
import { lengthOfFile } from '../tokens/media-tokens.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { remember } from '#core/limits/remember.ts';
import type { Resolved, Target } from '../routing/routing.ts';
import { sessionOf } from '../routing/affinity.ts';
import { requiredKeysOf } from '../routing/required-keys.ts';
import type { Session } from '../../shared/moved-sessions.ts';
import type { EndpointRules } from './endpoints/endpoint.ts';

export interface CompletionParts {
  readonly state: Pick<
    GatewayState,
    'identity' | 'ledger' | 'prices' | 'priceMaps' | 'objects' | 'objectMasks'
  >;
  readonly policy: Policy;
  readonly models: CurrentModels;
  readonly telemetry: Telemetry;
  readonly tokenCounter: TokenCounter;
  readonly answerCache: AnswerCache;
  readonly providerQueue: ProviderQueue;
  /** Undefined if no requests are compared with other models. */
  readonly sampler?: RequestSampler | undefined;
  readonly lifecycle: Pick<Lifecycle, 'extend'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Handles the requests of all routes that call models. The specifics of each route are in `endpoints/`. */
export function createCompletions(parts: CompletionParts): Completions {
  const { state, models, policy, telemetry, tokenCounter, answerCache, lifecycle, clock, log } = parts;
  const { providerQueue, sampler } = parts;
  const { identity, ledger, objects, objectMasks } = state;
  const live = createLiveRequests();
  const accountParts = { ledger, objects, live, telemetry, lifecycle, clock, log };
  const cacheParts = { cache: answerCache, clock, log };
  const read = createRequestReader();
  const plans = createPlans(state);
  const candidatePlans = createPlans(state, true);

  /** Validates the request completely and reserves its budget before any model or encoder is called. */
  const begin = async (
    request: CompletionRequest,
    set: ModelSet,
    trace: ReturnType<Telemetry['trace']>,
    account: ReturnType<typeof openRequestAccount>,
    opened: OpenedParts,
  ): Promise<CacheHit | BegunRequest> => {
    const { endpoint, caller, callerAgain, signal, startedAt, file } = request;
    const rules = ENDPOINTS[endpoint];

    // Read: the body, and the tags and users that it specifies.
    const asRead = await read(request, rules.schema, request.inPath);
    const { model } = asRead;
    const { tags, metadata } = tagsOf(request.headers, asRead.body);
    const { body, bytes, members, references } =
      metadata === undefined ? asRead : withMetadata(asRead, metadata);
    const isStream = body['stream'] === true;
    const { payer, endUser } = usersOf(rules, body, caller, set.requests);

    // Plan: who pays, and the model's targets and prices in the current model set.
    const found = identity.spender(caller, payer, tags);
    const spender = found instanceof Promise ? await found : found;
    const places = references.size > 0 ? await objects.requireOwn(references, spender.data.viewer) : [];
    const session =
      set.affinity &&
      sessionOf({ headers: request.headers, body, endUser, payer: spender.user.userId }, set.affinity);
    const test = set.abTests?.get(model);
    const chosenVariant = test && chooseVariant(test, { set, request, body, spender, endUser, places });
    const isCandidate = chosenVariant?.variant === 'candidate';
    const { plan, resolved: chosen } = (isCandidate ? candidatePlans : plans).open(
      set,
      { endpoint, rules, model },
      isStream,
      session,
    );
    const name = chosen.alias ?? chosen.targets[0]?.key ?? '';
    identity.requireModel(spender, name);
    const variant = chosenVariant && noteVariant(chosenVariant, request, spender, account);
    const headers = forwardedHeaders(request.headers, rules.forwardedHeaders);
    const about = { ...request, spender, model, size: request.bytes.byteLength };

    // An identical request in the cache.
    const { cache } = set;
    const parsed = { body, bytes, members };
    const cached =
      cache &&
      openCachedRequest(cacheParts, {
        request,
        set,
        cache,
        origins: plan.origins(chosen),
        resolved: chosen,
        spender,
        headers,
        ...parsed,
      });
    if (cached) {
      opened.cached = cached;
      const hit = await cached.find();
      if (hit) {
        opened.prompt = policy.record(about, parsed, set);
        await account.open(spender, { ...FREE, references, endUser });
        return hit;
      }
    }

    // Price: the maximum cost of the request.
    const listed = plan.prices(chosen.targets, startedAt, imageVariant(endpoint, body));
    const prices = listed instanceof Promise ? await listed : listed;
    const keys = chosen.targets.map(({ key }) => key);
    const seconds = file && lengthOfFile(file);
    const audio = rules.audio?.(body, seconds ?? 0);
    if (isLarge(bytes.length)) await ownTurn();
    const counting = countTokensOfRequest(tokenCounter, rules, body, keys, {
      inFile: audio?.audioInput,
      owner: spender.user.userId,
    });
    const counts = counting instanceof Promise ? await counting : counting;
    const tokens = {
      counts,
      audio,
      prompt: counts.maxPrompt,
      output: rules.maxOutputTokens(body, set.assumedOutputTokens, seconds),
      units: expectedUnits(endpoint, body),
    };
    const resolved =
      chosen.strategy === 'cheapest'
        ? cheapestFirst(chosen, ({ key }) => costOfTarget(prices, key, tokens))
        : chosen;
    const estimate = estimateOf(prices, tokens, set.allowUnpriced);
    policy.requireKnown(parsed, set);

    // Admit and reserve.
    const { syntax } = rules;
    const isEvents = syntax !== undefined && isStream;
    const queued = openQueued(spender, {
      model: name,
      providerQueue,
      clock,
      signal,
      async check() {
        const again = callerAgain ? await callerAgain() : caller;
        identity.requireModel(await identity.spender(again, payer), name);
      },
      onWaited: (milliseconds) => account.waited(milliseconds),
    });
    if (queued && isEvents) announceStream(request, syntax);
    opened.queued = queued;
    await queued?.enter();
    const costs = { estimate, prices, tokens, references, endUser };
    const admission = queued
      ? await queued.reserve((wait) => account.open(spender, costs, wait))
      : await account.open(spender, costs);

    // Guard: only after the reservation, so that requests that exceed their limits do not keep the
    // guardrails' encoders busy.
    const screening = policy.screen({ ...about, admission }, parsed, set);
    const screened = screening instanceof Promise ? await screening : screening;
    const { content, guarded, prompt } = screened;
    opened.prompt = prompt;
    if (guarded.placeholders) request.replay?.restored();

    // A similar request in the cache. If something was masked, the response contains values from this
    // request, which must not be returned for any other request.
    const kept = guarded.placeholders ? undefined : cached;
    if (!kept) cached?.bypass();
    const similar = kept && (await kept.findSimilar(content));
    if (similar) return similar;

    // Call: routing sends the request to a target.
    const { unsupportedTools } = set.requests;
    if (isLarge(content.bytes.length)) await ownTurn();
    const call = derivedFrom(content, {
      ...content,
      files: file && [file],
      headers,
      trace: trace?.headers,
      signal,
      isBilled: true,
      owner: spender.user.userId,
      unsupportedTools,
      session,
      requiredKeys: places.length > 0 ? requiredKeysOf(set.router, places) : undefined,
    });
    if (!queued && isEvents) announceStream(request, syntax);
    const keeper = kept && createAnswerKeeper({ cached: kept, tokens, isGenerated: syntax !== undefined });
    const { alias } = resolved;
    const settings = variant?.test.settings.judge === undefined ? resolved.shadow : variant.test.settings;
    const sampled = settings && alias !== undefined ? { alias, settings, variant } : undefined;
    const tap =
      sampled &&
      sampler?.take({
        ...sampled,
        request,
        spender,
        screened,
        references,
        set,
        costOf: (key, summary) => costOfUsage(tokensOf(key, summary, tokens), prices.get(key)),
      });
    return { rules, resolved, screened, call, keeper, tap, expected: tokens, queued };
  };

  /** Reports to the client which variant responds, and records the result. Returns undefined if it does not count. */
  const noteVariant = (
    { test, variant, unit, reason = '', candidate }: ChosenVariant,
    request: CompletionRequest,
    spender: Spender,
    account: ReturnType<typeof openRequestAccount>,
  ): VariantRequest | undefined => {
    if (unit === undefined) {
      sampler?.exclude(test, reason);
      return undefined;
    }
    request.setHeader(VARIANT_HEADER, variant);
    const assigned = { request, test, variant, unit, spender, candidate };
    if (sampler) account.observe(sampler.observe(assigned));
    return assigned;
  };

  return {
    live: () => live.list(),
    async answer(request): Promise<CompletionAnswer> {
      const held = models.hold();
      const trace = telemetry.trace(request.headers);
      const account = openRequestAccount(accountParts, request, trace);
      const opened: OpenedParts = {};
      try {
        const begun = await begin(request, held.set, trace, account, opened);
        if ('entry' in begun)
          return await answerFromCache({ request, account, held, clock, prompt: opened.prompt }, begun);
        return await callModel({ ...begun, request, account, held, objectMasks, clock, log });
      } catch (error) {
        const { reason } = request.signal;
        const failure: unknown = reason instanceof AppError ? reason : error;
        await account.fail(AppError.from(failure));
        opened.prompt?.end('', undefined, AppError.from(failure));
        account.whenRecorded(held.release);
        throw failure;
      } finally {
        opened.cached?.end();
        opened.queued?.end(false);
      }
    },
  };
}

type BegunRequest = Pick<
  CallModelParts,
  'rules' | 'resolved' | 'screened' | 'call' | 'keeper' | 'tap' | 'expected' | 'queued'
>;

/** From now on, the response to a stream can begin with comments, so its status can no longer change. */
function announceStream(request: CompletionRequest, syntax: NonNullable<EndpointRules['syntax']>): void {
  request.onStreamPending?.((error) => syntax.error(streamError(error), undefined));
}

/** Resources opened for a request. They are released when the request ends. */
interface OpenedParts {
  cached?: CachedRequest;
  queued?: QueuedRequest | undefined;
  prompt?: PromptRecord | undefined;
}

/** A cached response costs nothing, so budgets do not apply. */
const FREE = {
  estimate: { cost: 0n, tokens: 0, free: true },
  prices: new Map<string, undefined>(),
  tokens: {
    prompt: 0,
    output: 0,
    // A cached response includes the provider's token count.
    counts: {
      prompt: () => 0,
      completion: (_model: string, { usage }: AnswerSummary) => usage?.completionTokens ?? 0,
      learn: () => undefined,
    },
  },
};

/**
 * A plan, created once for all requests to one model on one endpoint: the model's targets, what cached
 * responses depend on, and prices. A plan is valid for one model set; its prices are valid for one database
 * revision and only during the period in which they apply. Data that depends on the API key is also kept
 * between requests: `Identity` keeps the spender, and the ledger keeps the spender's accounts until the
 * database changes.
 */
interface RequestPlan {
  /** The model's targets. For an alias, the order of the targets is drawn for each request. */
  readonly resolve: (isStream: boolean, session: Session | undefined) => Resolved;
  /**
   * The targets' prices; only a promise if the database must be queried. Throws a PaymentRequiredError if a
   * target has no price and prices are required.
   */
  readonly prices: (
    targets: readonly Target[],
    time: number,
    variant?: string,
  ) => PriceList | Promise<PriceList>;
  /**
   * A string that identifies which models can respond and where they run, because cached responses depend
   * on both.
   */
  readonly origins: (resolved: Resolved) => string;
}

interface RequestPlans {
  /**
   * Returns a model's plan and its targets for a request. Throws a MalformedError for an unknown model.
   */
  open(
    set: ModelSet,
    request: { readonly endpoint: Endpoint; readonly rules: EndpointRules; readonly model: string },
    isStream: boolean,
    session: Session | undefined,
  ): { readonly plan: RequestPlan; readonly resolved: Resolved };
}

/**
 * Maximum number of plans per endpoint. The number must be limited, because clients choose the model names.
 */
const MAX_PLANS = 1000;

type Plans = Map<string, RequestPlan>;
type PriceState = Pick<GatewayState, 'prices' | 'priceMaps'>;

/** Creates plans of models or, for aliases with an A/B test, of the candidate. */
function createPlans(state: PriceState, isCandidate = false): RequestPlans {
  const known = new WeakMap<ModelSet, Map<Endpoint, Plans>>();
  return {
    open(set, { endpoint, rules, model }, isStream, session) {
      const ofSet = known.get(set) ?? new Map<Endpoint, Plans>();
      const found = ofSet.get(endpoint)?.get(model);
      if (found) return { plan: found, resolved: found.resolve(isStream, session) };
      const plan = createPlan(state, set, rules, model, isCandidate);
      const resolved = plan.resolve(isStream, session);
      const plans: Plans = ofSet.get(endpoint) ?? new Map();
      remember(plans, model, plan, MAX_PLANS);
      known.set(set, ofSet.set(endpoint, plans));
      return { plan, resolved };
    },
  };
}

/** Prices, with the period and the database revision for which they are valid. */
interface Priced {
  readonly list: PriceList;
  readonly revision: number;
  readonly from: number;
  readonly until: number;
}

function createPlan(
  state: PriceState,
  { router, cache, requirePricing: required }: ModelSet,
  { isAudio }: EndpointRules,
  model: string,
  isCandidate: boolean,
): RequestPlan {
  let only: Resolved | undefined;
  let origins: string | undefined;
  let priced: Priced | undefined;

  const readPrices = async (targets: readonly Target[], time: number): Promise<PriceList> => {
    // The revision is read before the prices, so that old prices are never kept under a newer revision.
    const revision = await state.prices.revision();
    const list = await pricesOf(state, targets, time, { required, isAudio });
    let [from, until] = [-Infinity, Infinity];
    for (const name of targets.flatMap(({ key, otherKeys }) => [key, ...otherKeys])) {
      const period = await state.prices.period(name, time);
      [from, until] = [Math.max(from, period.from), Math.min(until, period.until)];
    }
    priced = { list, revision, from, until };
    return list;
  };

  return {
    resolve(isStream, session) {
      if (only) return only;
      const resolved = router.resolve(model, isStream, session, isCandidate);
      if (resolved.alias === undefined) only = resolved;
      return resolved;
    },
    prices(targets, time, variant) {
      if (variant !== undefined) return pricesOf(state, targets, time, { required, isAudio, variant });
      const isCurrent =
        priced !== undefined &&
        priced.revision === state.prices.revision() &&
        priced.from <= time &&
        time < priced.until;
      if (!priced || !isCurrent) return readPrices(targets, time);
      const { list } = priced;
      // An alias always has the same targets; only their order differs.
      return only ? list : new Map(targets.map(({ key }) => [key, list.get(key)]));
    },
    origins: ({ targets, primaries }) =>
      (origins ??= JSON.stringify(
        targets
          .slice(0, primaries)
          .map(({ key, provider }) => `${key} ${cache?.origin(provider) ?? ''}`)
          .toSorted(),
      )),
  };
}
