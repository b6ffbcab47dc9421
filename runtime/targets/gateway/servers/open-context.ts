import { isSea } from 'node:sea';
import type { AppError } from '#contract/errors.ts';
import { systemClock, type Clock } from '#platform/clock.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import { tracingVariables } from '#serve/telemetry/tracing-settings.ts';
import type { Logger } from '#serve/log.ts';
import { createExhaustionAlerts } from '../accounts/ledger/forecast/exhaustion-alerts.ts';
import { repeat } from '../accounts/ledger/repeat.ts';
import { createAlertDelivery } from '../alerts/alert-delivery.ts';
import { indexRequests } from '../accounts/feedback/feedback-log.ts';
import { type AlertsConfig } from '../alerts/alert-message.ts';
import { createExperimentAnswers } from '../evaluation/workflows/experiment-answers.ts';
import type { GatewayContext } from '../context.ts';
import { createExperiments } from '../evaluation/experiments/experiments.ts';
import { encoderPath } from '../evaluation/jobs/files/encoder-path.ts';
import { createJobServices } from '../evaluation/jobs/job-services.ts';
import { createStored } from '../requests/stored/create-stored.ts';
import { permissionOf, type Models } from '../requests/models/models.ts';
import { createAliasRegistry } from '../registry/alias-registry.ts';
import { type ModelFollower } from '../registry/follow-models.ts';
import { createProviderRegistry } from '../registry/provider-registry.ts';
import type { WatchChild } from '#serve/encoder/start-encoder.ts';
import { locationText } from '../store/database-url.ts';
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
import { type ModelCallParts, openModelCalls, type OpenedModelCalls } from './open-model-calls.ts';

export interface OpenedContext extends GatewayContext, OpenedModelCalls {
  readonly models: Models;
  readonly modelFollower: ModelFollower;
  readonly replaceAlerts: (alerts: AlertsConfig | undefined) => void;
  /** Registers a child process that must not outlive this process. */
  readonly watch: WatchChild;
  /** Records a reload in the audit log. */
  readonly recordReload: (result: ReloadResult) => Promise<void>;
  /** Flushes the database and terminates child processes. Telemetry is closed separately. */
  readonly close: () => Promise<void>;
}

/** The names of the settings that a reload changed, or the reason why it changed nothing. */
type ReloadResult = { readonly changed: readonly string[] } | { readonly error: AppError };

export interface ContextParts extends Pick<ModelCallParts, 'config' | 'log' | 'redactor' | 'threads'> {
  readonly reload: () => Promise<void>;
}

/** How often budgets that will be exhausted are searched, if their alerts are enabled. */
const FORECAST_INTERVAL_MS = 900_000;

/** Opens everything that the routes share. */
export async function openContext(parts: ContextParts): Promise<OpenedContext> {
  const { config, log, reload, threads } = parts;
  const clock = systemClock;
  const closers = createCloserStack();
  try {
    const guard = createOrphanGuard();
    closers.add(() => guard.close());
    const { watch } = guard;
    const { tracing, masterKey } = config;
    let { alerts } = config;
    const alertsConfig = (): AlertsConfig | undefined => alerts;
    const opened = await openModelCalls({
      ...parts,
      clock,
      closers,
      alertPolicy: alertsConfig,
      encoders: {
        onLine: (line) => log.info({ encoder: line }, 'Encoder output.'),
        onTrouble: (line) => log.warn(`The encoder ${line}.`),
        watch,
        env: tracing && tracingVariables(tracing),
      },
      workerPayer: async (token) => await jobs.access.payer(token),
    });
    const { store, state, models, modelFollower, policy, tokenCounter, answerCache, onError } = opened;

    const { identity, signInCodes: codes } = state;
    const signIn = await openSignIn(config.signIn, { store, identity, codes, clock, log });
    if (signIn) closers.add(() => signIn.close());

    const { compute, trustUsers, maxDatasetBytes } = config.workflows;
    const jobs = createJobServices(store, {
      clock,
      masterKey,
      identity,
      trustUsers,
      maxDatasetBytes,
      program: isSea() ? process.execPath : undefined,
      permissionOf: (model) => permissionOf(models, model),
      encoderPath: (model) => encoderPath(model, { models, prices: state.prices, clock }),
      onEnded: (trx, job) => workflows.ended(trx, job),
    });
    const workflows = createWorkflows(store, { clock, models, compute, services: jobs });
    const stored = createStored({ state, models, policy, tokenCounter, clock, log, onError });
    closers.add(() => stored.close());
    const delivery = createAlertDelivery({
      outbox: state.alerts,
      config: alertsConfig,
      clock,
      random: Math.random,
      log,
      count: (outcome) => opened.telemetry.alerted(outcome),
      onError,
    });
    closers.add(delivery.close);
    const raise = createExhaustionAlerts({
      forecasts: state.forecasts,
      store,
      clock,
      policy: alertsConfig,
    });
    closers.add(repeat(clock, FORECAST_INTERVAL_MS, raise, onError).stop);
    const registryParts = {
      entries: state.modelEntries,
      config: () => modelFollower.file(),
      onChange: () => modelFollower.sync(),
    };
    if (config.feedback.isEnabled) await indexRequests(store);
    return {
      ...opened,
      hasFeedback: config.feedback.isEnabled,
      threads,
      signIn,
      jobs,
      experiments: createExperiments(store, { clock, datasets: jobs.datasets, workflows }),
      answers: createExperimentAnswers({ db: store.db, cache: answerCache, models, clock }),
      workflows,
      singleJobs: createSingleJobs(store, { models, compute, services: jobs }),
      compute,
      providers: createProviderRegistry(registryParts),
      aliases: createAliasRegistry(registryParts),
      watch,
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
      stored,
      alertsConfig,
      replaceAlerts: (fresh) => void (alerts = fresh),
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
