import { isSea } from 'node:sea';
import type { AppError } from '#contract/errors.ts';
import { systemClock, type Clock } from '#platform/clock.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import { createKernel } from '#serve/kernel.ts';
import { programVersion } from '#serve/program/process-options.ts';
import { tracingVariables } from '#serve/telemetry/tracing-settings.ts';
import type { Logger } from '#serve/log.ts';
import { createPromptWriter } from '../accounts/prompts/prompt-writer.ts';
import type { Redactor } from '#serve/redact.ts';
import { createAlertDelivery } from '../alerts/alert-delivery.ts';
import { type AlertsConfig } from '../alerts/alert-message.ts';
import { createExperimentAnswers } from '../evaluation/workflows/experiment-answers.ts';
import { type AnswerCache, createAnswerCache } from '../requests/cache/answer-cache.ts';
import { createThreadCache } from '../requests/cache/thread-cache.ts';
import { createCompletions } from '../requests/completions/completions.ts';
import type { LoadedGatewayConfig } from '../config/read-config.ts';
import type { GatewayContext, OtherThreads } from '../context.ts';
import type { ThreadLink } from '#serve/threads/thread-link.ts';
import type { MainFunctions } from './threads/functions.ts';
import { createExperiments } from '../evaluation/experiments/experiments.ts';
import { openGatewayState } from '../gateway-state.ts';
import { encoderPath } from '../evaluation/jobs/files/encoder-path.ts';
import { createJobServices } from '../evaluation/jobs/job-services.ts';
import { createStored } from '../requests/stored/create-stored.ts';
import { openLearnedFactors } from '../requests/tokens/learned-factors.ts';
import { createTokenCounter } from '../requests/tokens/token-counter.ts';
import { permissionOf, createModels, type Models } from '../requests/models/models.ts';
import { createPolicy } from '../requests/policy/policy.ts';
import { createAliasRegistry } from '../registry/alias-registry.ts';
import { followModels, type ModelFollower } from '../registry/follow-models.ts';
import { createProviderRegistry } from '../registry/provider-registry.ts';
import type { WatchChild } from '../providers/adapters/encoder/child.ts';
import {
  createProviderTurns,
  createThreadTurns,
  type ProviderTurns,
} from '../providers/adapters/provider-turns.ts';
import { openProvider } from '../providers/adapters/open-provider.ts';
import { locationText } from '../store/database-url.ts';
import { openStore } from '../store/open-store.ts';
import { createTelemetry } from '../telemetry/create-telemetry.ts';
import { createSingleJobs } from '../evaluation/workflows/single-jobs.ts';
import { createWorkflows } from '../evaluation/workflows/workflows.ts';
import { createDatabaseCheck } from './database-check.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import type { Identity } from '../accounts/identity/identity.ts';
import type { RedeemedCodes } from '../accounts/sign-in/redeemed-codes.ts';
import type { SignInConfig } from '../accounts/sign-in/sign-in-config.ts';
import type { SignInFlow } from '../accounts/sign-in/sign-in-flow.ts';
import { signingKey } from '../store/signing-key.ts';
import type { Store } from '../store/store.ts';

export interface OpenedContext extends GatewayContext {
  readonly models: Models;
  readonly modelFollower: ModelFollower;
  readonly answerCache: AnswerCache;
  /** Limits concurrent requests to providers. */
  readonly turns: ProviderTurns;
  readonly replaceAlerts: (alerts: AlertsConfig | undefined) => void;
  /** Registers a child process that must not outlive this process. */
  readonly watch: WatchChild;
  /** Records a reload in the audit log. */
  readonly recordReload: (result: ReloadResult) => Promise<void>;
  /** Logs an error from a background task. */
  readonly onError: (error: unknown) => void;
  /** Flushes the database and terminates child processes. Telemetry is closed separately. */
  readonly close: () => Promise<void>;
}

/** The names of the settings that a reload changed, or the reason why it changed nothing. */
type ReloadResult = { readonly changed: readonly string[] } | { readonly error: AppError };

export interface ContextParts {
  readonly config: LoadedGatewayConfig;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly reload: () => Promise<void>;
  /** The other threads of this process. */
  readonly threads: OtherThreads;
  /** The main thread, in a serving thread. Background work only runs in the main thread. */
  readonly main?: ThreadLink<MainFunctions> | undefined;
}

/** Opens everything that the routes share. */
export async function openContext(parts: ContextParts): Promise<OpenedContext> {
  const { config, log, redactor, reload, threads, main } = parts;
  const serving = config.server.threads;
  const clock = systemClock;
  const closers = createCloserStack();
  const onError = (error: unknown): void => log.error({ err: error }, 'Background task failed.');
  try {
    const store = await openStore(config.database, config);
    closers.add(() => store.close());
    const { masterKey, userLimits } = config;
    let { alerts } = config;
    const alertsConfig = (): AlertsConfig | undefined => alerts;
    const state = await openGatewayState(store, {
      clock,
      masterKey,
      userLimits,
      alertPolicy: alertsConfig,
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

    const { identity, signInCodes: codes } = state;
    const signIn = await openSignIn(config.signIn, { store, identity, codes, clock, log });
    if (signIn) closers.add(() => signIn.close());

    const { trustUsers, maxDatasetBytes } = config.workflows;
    const jobs = createJobServices(store, {
      clock,
      masterKey,
      identity: state.identity,
      trustUsers,
      maxDatasetBytes,
      program: isSea() ? process.execPath : undefined,
      permissionOf: (model) => permissionOf(models, model),
      encoderPath: (model) => encoderPath(model, { models, prices: state.prices, clock }),
      onEnded: (trx, job) => workflows.ended(trx, job),
    });

    const guard = createOrphanGuard();
    closers.add(() => guard.close());
    const onLine = (line: string): void => log.info({ encoder: line }, 'Encoder output.');
    const onTrouble = (line: string): void => log.warn(`The encoder ${line}.`);
    const { watch } = guard;
    const { tracing } = config;
    const env = tracing && tracingVariables(tracing);
    const turns = createProviderTurns();
    const turnsOf = main ? createThreadTurns(main) : turns.of;
    const encoderAddress = main && ((name: string) => main.call('encoderAddress', name));
    const models = createModels(config.models, {
      open: (provider) =>
        openProvider(provider, {
          clock,
          random: Math.random,
          onLine,
          onTrouble,
          watch,
          env,
          encoderAddress,
          turnsOf,
        }),
      clock,
      random: Math.random,
      threads: serving,
      onTargetEvent:
        serving === 1
          ? undefined
          : main
            ? (event) => main.tell('learned', event)
            : (event) => threads.learned(event),
    });
    closers.add(() => models.close());
    const { modelEntries: entries } = state;
    const modelFollower = followModels(config, {
      entries,
      apply: (fresh) => models.replace(fresh),
      learn: (secrets) => redactor.learn(secrets),
      // The main thread reports the problems of all threads.
      onProblem: (problem) => {
        if (!main) log.warn(problem);
      },
      onError,
    });
    await modelFollower.sync();
    const registryParts = {
      entries,
      config: () => modelFollower.file(),
      onChange: () => modelFollower.sync(),
    };

    const { compute } = config.workflows;
    const workflows = createWorkflows(store, { clock, models, compute, services: jobs });
    const singleJobs = createSingleJobs(store, { models, compute, services: jobs });
    const experiments = createExperiments(store, { clock, datasets: jobs.datasets, workflows });

    // Routes check permissions themselves, because the rules depend on the route and on several headers.
    const share = { of: serving === 1 ? 1 : serving + 1, isMain: !main };
    const kernel = createKernel(log, { check: () => undefined }, config.server, share);
    const { metrics, lifecycle } = kernel;
    const version = programVersion();
    const activeRequests = lifecycle.inside;
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
    const answers = createExperimentAnswers({ db: store.db, cache: answerCache, models, clock });
    const prompts = createPromptWriter({ promptLog: state.promptLog, redactor, log });
    closers.add(() => prompts.close());
    const policy = createPolicy({ guardrailHits: state.guardrailHits, prompts, clock });
    const stored = createStored({ state, models, policy, tokenCounter, clock, log, onError, settles: !main });
    closers.add(() => stored.close());
    const telemetry = createTelemetry({ metrics, tracing, clock, version, activeRequests, onError });
    if (!main) {
      const delivery = createAlertDelivery({
        outbox: state.alerts,
        config: alertsConfig,
        clock,
        random: Math.random,
        log,
        count: (outcome) => telemetry.alerted(outcome),
        onError,
      });
      closers.add(delivery.close);
    }
    const completions = createCompletions({
      state,
      models,
      telemetry,
      tokenCounter,
      answerCache,
      policy,
      lifecycle,
      clock,
      log,
    });
    return {
      kernel,
      clock,
      state,
      signIn,
      jobs,
      experiments,
      answers,
      workflows,
      singleJobs,
      compute,
      models,
      policy,
      modelFollower,
      providers: createProviderRegistry(registryParts),
      aliases: createAliasRegistry(registryParts),
      watch,
      onError,
      async recordReload(result) {
        const outcome =
          'error' in result
            ? ({ outcome: 'failed', reason: result.error.code } as const)
            : { after: { changed: result.changed } };
        // The reload itself is complete, so a failure here is only logged.
        await store.audit
          .record(store.db, { at: clock.now(), action: 'config.reload', ...outcome })
          .catch(onError);
      },
      tokenCounter,
      answerCache,
      turns,
      completions,
      stored,
      telemetry,
      threads,
      alertsConfig,
      replaceAlerts: (fresh) => void (alerts = fresh),
      version,
      isDatabaseAvailable: createDatabaseCheck({
        ledger: state.ledger,
        shown: locationText(config.database),
        clock,
        log,
      }),
      reload,
      close: closers.close,
    };
  } catch (error) {
    await closers.abandon();
    throw error;
  }
}

interface SignInParts {
  readonly store: Pick<Store, 'db'>;
  readonly identity: Identity;
  readonly codes: RedeemedCodes;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the sign-in; undefined if it is not configured. */
async function openSignIn(
  config: SignInConfig | undefined,
  { store, identity, codes, clock, log }: SignInParts,
): Promise<SignInFlow | undefined> {
  if (!config) return undefined;
  // Imported on demand, because most gateways have no sign-in.
  const { createSignInFlow } = await import('../accounts/sign-in/sign-in-flow.ts');
  return createSignInFlow(config, {
    identity,
    codes,
    clock,
    key: await signingKey(store.db, 'sign-in'),
    onMissingTeam: (teamId) =>
      log.warn(`sign_in.groups contains the team ${JSON.stringify(teamId)}, which does not exist.`),
  });
}
