import type { Clock } from '#platform/clock.ts';
import { createKernel } from '#serve/kernel.ts';
import { shuttingDown } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import type { CloserStack } from '#serve/program/closer-stack.ts';
import { programVersion } from '#serve/program/process-options.ts';
import type { Redactor } from '#serve/redact.ts';
import type { ThreadLink } from '#serve/threads/thread-link.ts';
import type { WorkPayer } from '../accounts/identity/identity.ts';
import type { AlertPolicy } from '../accounts/ledger/budget-alerts.ts';
import { createIdempotency } from '../accounts/idempotency/idempotency.ts';
import type { IdentityOptions } from '../accounts/identity/create-identity.ts';
import type { WorkloadIssuer } from '../accounts/workloads/workload-config.ts';
import { createPromptWriter } from '../accounts/prompts/prompt-writer.ts';
import type { LoadedGatewayConfig } from '../config/read-config.ts';
import type { ModelCallContext, OtherThreads } from '../context.ts';
import { openGatewayState } from '../gateway-state.ts';
import { type OpenProviderOptions, openProvider } from '../providers/adapters/open-provider.ts';
import {
  createProviderTurns,
  createThreadTurns,
  type ProviderTurns,
} from '../providers/adapters/provider-turns.ts';
import { followModels, type ModelFollower } from '../registry/follow-models.ts';
import { type AnswerCache, createAnswerCache } from '../requests/cache/answer-cache.ts';
import { createThreadCache } from '../requests/cache/thread-cache.ts';
import { createUserTokens } from '../requests/tools/user-tokens.ts';
import { createThreadToolMemory, createToolMemory, type ToolMemory } from '../requests/tools/tool-memory.ts';
import { createCompletions } from '../requests/completions/completions.ts';
import { addTools } from '../requests/tools/add-tools.ts';
import { openShadow } from '../requests/shadow/open-shadow.ts';
import { createModels, keyStatesOf, type Models } from '../requests/models/models.ts';
import type { TargetEvent } from '../requests/routing/target-states.ts';
import type { KeyEvent } from '../providers/adapters/keys/key-state.ts';
import { createProviderQueue } from '../requests/routing/provider-queue.ts';
import { createPolicy } from '../requests/policy/policy.ts';
import { openLearnedFactors } from '../requests/tokens/learned-factors.ts';
import { createTokenCounter } from '../requests/tokens/token-counter.ts';
import { openStore } from '../store/open-store.ts';
import { signingKey } from '../store/signing-key.ts';
import type { Store } from '../store/store.ts';
import { createKeyMetrics } from '../telemetry/key-metrics.ts';
import { createQueueMetrics } from '../telemetry/queue-metrics.ts';
import { createTelemetry } from '../telemetry/create-telemetry.ts';
import type { MainFunctions } from './threads/functions.ts';

export interface ModelCallParts {
  readonly config: LoadedGatewayConfig;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly closers: Pick<CloserStack, 'add' | 'replace'>;
  /** The other threads of this process. */
  readonly threads: OtherThreads;
  /** The main thread, in a serving thread. */
  readonly main?: ThreadLink<MainFunctions> | undefined;
  /** When to raise budget alerts. */
  readonly alertPolicy?: (() => AlertPolicy | undefined) | undefined;
  /** How to start the executables of encoders. */
  readonly encoders: Pick<OpenProviderOptions, 'onLine' | 'onTrouble' | 'watch' | 'env'>;
  readonly workerPayer: (token: string) => Promise<WorkPayer>;
}

export interface OpenedModelCalls extends ModelCallContext {
  readonly store: Store;
  readonly models: Models;
  readonly modelFollower: ModelFollower;
  readonly answerCache: AnswerCache;
  readonly toolMemory: ToolMemory;
  /** Limits concurrent requests to providers. */
  readonly turns: ProviderTurns;
  readonly version: string;
  /** Logs an error from a background task. */
  readonly onError: (error: unknown) => void;
}

/** Opens everything that calls models: in the main thread, and in each serving thread. */
export async function openModelCalls(parts: ModelCallParts): Promise<OpenedModelCalls> {
  const { config, log, redactor, clock, closers, threads, main } = parts;
  const serving = config.server.threads;
  const onError = (error: unknown): void => log.error({ err: error }, 'Background task failed.');
  const store = await openStore(config.database, config);
  closers.add(() => store.close());
  const { masterKey, userLimits } = config;
  const openWorkloads = await workloadsOpener(config.workloads, { store, clock });
  const queueMetrics = createQueueMetrics();
  const queues = { settings: () => models.queue(), observer: queueMetrics };
  const state = await openGatewayState(store, {
    queues,
    clock,
    masterKey,
    userLimits,
    openWorkloads,
    alertPolicy: parts.alertPolicy,
    onError,
    onInterrupted: (requests) =>
      log.warn(
        { requests },
        'Requests in flight when a gateway was killed were billed with their known usage.',
      ),
    onRevision: (revision) => threads.noticeRevision(revision),
    ledgerThread: main,
  });
  closers.replace(() => state.close());
  if (!main) await state.prices.seed(config.models.pricing);
  const factors = await openLearnedFactors(store, { clock, onError, forgetsOld: !main });
  closers.add(factors.close);

  const onTargetEvent =
    serving === 1
      ? undefined
      : main
        ? (event: TargetEvent) => main.tell('learned', event)
        : (event: TargetEvent) => threads.learned(event);
  const turns = createProviderTurns();
  const providerOptions: OpenProviderOptions = {
    ...parts.encoders,
    clock,
    random: Math.random,
    turnsOf: main ? createThreadTurns(main) : (server, maxRequests) => turns.of(server, maxRequests).queue,
    onKeyEvent(event) {
      onTargetEvent?.(event);
      logKeyEvent(log, event, clock.now());
    },
    encoderAddress: main && ((name) => main.call('encoderAddress', name)),
  };
  const models = createModels(config.models, {
    open: (provider) => openProvider(provider, providerOptions),
    clock,
    random: Math.random,
    threads: serving,
    onTargetEvent,
  });
  closers.add(() => models.close());
  const modelFollower = followModels(config, {
    entries: state.modelEntries,
    apply: (fresh) => models.replace(fresh),
    learn: (secrets) => redactor.learn(secrets),
    // The main thread reports the problems of all threads.
    onProblem: (problem) => {
      if (!main) log.warn(problem);
    },
    onError,
  });
  await modelFollower.sync();

  // Routes check permissions themselves, because the rules depend on the route and on several headers.
  const share = { of: serving === 1 ? 1 : serving + 1, isMain: !main };
  const kernel = createKernel(log, { check: () => undefined }, config.server, share);
  const { metrics, lifecycle } = kernel;
  const version = programVersion();
  const activeRequests = lifecycle.inside;
  createKeyMetrics(metrics, () => keyStatesOf(models, clock.now()));
  queueMetrics.register(metrics);
  const providerQueue = createProviderQueue({ ...queues, clock });
  // Another gateway can handle waiting requests sooner.
  lifecycle.onStop(() => {
    state.ledger.stopWaiting(shuttingDown());
    providerQueue.stop(shuttingDown());
  });
  const tokenCounter = createTokenCounter(factors);
  const answerCache = main
    ? createThreadCache(main)
    : createAnswerCache({
        db: store.db,
        clock,
        clears: state.cacheClears,
        onError: (error) => log.warn({ err: error }, 'The response cache’s database is unavailable.'),
      });
  closers.add(() => answerCache.close());
  const prompts = createPromptWriter({ promptLog: state.promptLog, redactor, log });
  closers.add(() => prompts.close());
  const idempotency = createIdempotency({
    store,
    settings: models.idempotency,
    clock,
    onError: (error) => log.error({ err: error }, 'The response to a request with a key is not stored.'),
  });
  closers.add(() => idempotency.close());
  const policy = createPolicy({ guardrailHits: state.guardrailHits, prompts, clock });
  const { tracing } = config;
  const telemetry = createTelemetry({ metrics, tracing, clock, version, activeRequests, onError });
  const completionParts = {
    state,
    models,
    telemetry,
    tokenCounter,
    answerCache,
    policy,
    providerQueue,
    lifecycle,
    clock,
    log,
  };
  const { sampler, evaluations } = openShadow({ ...completionParts, records: state.shadowRecords, redactor });
  closers.add(() => evaluations.close());
  const modelCalls = createCompletions({ ...completionParts, sampler });
  const toolMemory = main ? createThreadToolMemory(main) : createToolMemory();
  const userTokens = createUserTokens({
    seed: () => signingKey(store.db, 'user tokens'),
    masterKey,
    clock,
  });
  const completions = addTools({
    completions: modelCalls,
    settings: models.tools,
    async load() {
      const { createToolRequests } = await import('../requests/tools/with-tools.ts');
      return createToolRequests({
        completions: modelCalls,
        models,
        policy,
        state,
        memory: toolMemory,
        userTokens,
        telemetry,
        clock,
        log,
        version,
      });
    },
  });
  closers.add(() => completions.close());
  return {
    kernel,
    clock,
    store,
    state,
    models,
    modelFollower,
    policy,
    tokenCounter,
    answerCache,
    toolMemory,
    userTokens,
    idempotency,
    turns,
    telemetry,
    version,
    signInUrl: config.signIn?.publicUrl,
    workerPayer: parts.workerPayer,
    onError,
    completions,
    providerQueue,
  };
}

/** How to open the workload issuers; undefined if none are configured. */
async function workloadsOpener(
  issuers: readonly WorkloadIssuer[],
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): Promise<IdentityOptions['openWorkloads']> {
  if (issuers.length === 0) return undefined;
  // Imported on demand, because most gateways have no workloads.
  const { createWorkloads } = await import('../accounts/workloads/workloads.ts');
  const key = await signingKey(store.db, 'workloads');
  return (keys) => createWorkloads(issuers, { keys, clock, key });
}

/** Logs when a key begins to cool down, and when it works again before the time has passed. */
function logKeyEvent(log: Logger, { provider, key, isNew, cooling }: KeyEvent, now: number): void {
  if (!isNew) return;
  if (!cooling) return log.info({ provider, key }, 'the provider accepts the key again');
  const { reason, model, until } = cooling;
  const seconds = Math.ceil((until - now) / 1000);
  log.warn({ provider, key, model, reason, seconds }, 'the key is used last for a while');
}
