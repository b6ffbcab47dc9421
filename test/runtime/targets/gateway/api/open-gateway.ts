import { createProviderQueue } from '#gateway/requests/routing/provider-queue.ts';
import { QUEUE_DEFAULTS, type QueueSettings } from '#gateway/accounts/ledger/waiting/queue-settings.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenHttp } from '#serve/http/listen.ts';
import { createIdempotency } from '#gateway/accounts/idempotency/idempotency.ts';
import {
  IDEMPOTENCY_DEFAULTS,
  type IdempotencySettings,
} from '#gateway/accounts/idempotency/idempotency-settings.ts';
import { signingKey } from '#gateway/store/signing-key.ts';
import { createUserTokens } from '#gateway/requests/tools/user-tokens.ts';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';
import { createRedactor } from '#serve/redact.ts';
import { createPromptWriter } from '#gateway/accounts/prompts/prompt-writer.ts';
import { createPolicy } from '#gateway/requests/policy/policy.ts';
import { createCompletions } from '#gateway/requests/completions/completions.ts';
import { openShadow } from '#gateway/requests/shadow/open-shadow.ts';
import type { AlertsConfig } from '#gateway/alerts/alert-message.ts';
import type { GatewayContext } from '#gateway/context.ts';
import type { Keys } from '#gateway/accounts/identity/identity.ts';
import type { WorkloadIssuer } from '#gateway/accounts/workloads/workload-config.ts';
import { createWorkloads } from '#gateway/accounts/workloads/workloads.ts';
import type { Workloads } from '#gateway/accounts/identity/workloads-api.ts';
import { type GatewayState, openGatewayState } from '#gateway/gateway-state.ts';
import { createExperiments } from '#gateway/evaluation/experiments/experiments.ts';
import { createServingThreads } from '#gateway/servers/threads/serving-threads.ts';
import { type GatewayApi, gatewayApi } from '#gateway/api/app.ts';
import type { GatewayAppOptions } from '#gateway/api/app-options.ts';
import { realtimeUpgrades } from '#gateway/api/realtime.ts';
import { malformedRequestAnswer } from '#gateway/api/http/errors.ts';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import type { Alias } from '#gateway/requests/routing/routing.ts';
import { createJobServices } from '#gateway/evaluation/jobs/job-services.ts';
import { createDatabaseCheck } from '#gateway/servers/database-check.ts';
import { permissionOf } from '#gateway/requests/models/models.ts';
import type { GuardrailProfile } from '#gateway/requests/guardrails/guardrail.ts';
import type { PromptPolicy } from '#gateway/providers/shapes/policies.ts';
import type { Store } from '#gateway/store/store.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { createStored } from '#gateway/requests/stored/create-stored.ts';
import { createTelemetry } from '#gateway/telemetry/create-telemetry.ts';
import { createSingleJobs } from '#gateway/evaluation/workflows/single-jobs.ts';
import { createExperimentAnswers } from '#gateway/evaluation/workflows/experiment-answers.ts';
import { createWorkflows } from '#gateway/evaluation/workflows/workflows.ts';
import { testKernel, type TestKernel } from '#test/helpers/test-kernel.ts';
import { MASTER_KEY } from '../master-key.ts';
import { answerCacheOn } from './answer-cache-on.ts';
import { heldModels } from './held-models.ts';
import { testRegistry } from './test-registry.ts';
import { createTestClock, type TestClock } from '../test-clock.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect its structure.
  readonly body: any;
}

export interface OpenGateway {
  readonly app: GatewayApi['app'];
  readonly context: GatewayContext;
  readonly kernel: TestKernel;
  readonly clock: TestClock;
  /** Resolves when all prompts are written. */
  readonly promptsWritten: () => Promise<void>;
  /** Resolves when all sampled requests are compared and stored. */
  readonly evaluated: () => Promise<void>;
  /** Number of current holders of the models. */
  readonly held: () => number;
  readonly request: (path: string, init?: RequestInit) => Promise<Answer>;
  /** Uses the master key unless headers are given. Strings are sent as they are, anything else as JSON. */
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  /** Serves the app on the network; closed together with it. */
  readonly listen: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface GatewayOptions extends Partial<Omit<GatewayAppOptions, 'server'>> {
  readonly server?: Partial<GatewayAppOptions['server']>;
  readonly databaseUrl?: string;
  readonly providers?: readonly Provider[];
  readonly aliases?: readonly Alias[];
  readonly alerts?: AlertsConfig;
  readonly userLimits?: Parameters<typeof openGatewayState>[1]['userLimits'];
  readonly prompts?: PromptPolicy;
  readonly guardrails?: readonly GuardrailProfile[];
  readonly idempotency?: IdempotencySettings;
  readonly queue?: QueueSettings;
  readonly hasFeedback?: boolean;
  readonly reload?: GatewayContext['reload'];
  /** The executable that workers download. */
  readonly program?: string;
  /** Paths of encoder executables, by model. */
  readonly encoderPaths?: Readonly<Record<string, string>>;
  readonly signIn?: (state: GatewayState, clock: TestClock) => GatewayContext['signIn'];
  readonly workloads?: readonly WorkloadIssuer[];
}

/** The HTTP API on a new SQLite file, or on the database at this URL. */
export async function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  const clock = createTestClock();
  const location = parseDatabaseUrl(options.databaseUrl ?? `sqlite:${join(folder, 'gateway.db')}`);
  const store = await openStore(location, { autoMigrate: true });
  const errors: unknown[] = [];
  const masterKey = options.hasMasterKey === false ? undefined : MASTER_KEY;
  const { userLimits, workloads } = options;
  const key = Buffer.alloc(32, 9);
  const openWorkloads =
    workloads && ((keys: Keys): Workloads => createWorkloads(workloads, { keys, clock, key }));
  const alertPolicy = () => options.alerts;
  const onError = (error: unknown) => void errors.push(error);
  const state = await openGatewayState(store, {
    clock,
    masterKey,
    alertPolicy,
    userLimits,
    openWorkloads,
    queues: { settings: () => options.queue ?? QUEUE_DEFAULTS },
    onError,
  });
  let isOpen = true;
  const closeState = async (): Promise<void> => {
    if (isOpen) await state.close();
    isOpen = false;
  };
  const gateway = gatewayOn({ ...state, store, close: closeState }, clock, options);
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await closeState();
      rmSync(folder, { recursive: true, force: true });
      if (errors.length > 0) throw errors[0];
    },
  };
}

/** The HTTP API on a state that the caller opens and closes. */
export function gatewayOn(
  state: GatewayState & { readonly store: Store; readonly beforeClose?: (work: () => Promise<void>) => void },
  clock: TestClock,
  options: GatewayOptions = {},
): OpenGateway {
  const kernel = testKernel();
  const { models, held } = heldModels(options, clock);
  const telemetry = createTelemetry({
    metrics: kernel.metrics,
    tracing: undefined,
    clock,
    version: '1.2.3',
    activeRequests: kernel.lifecycle.inside,
    onError: (error) => {
      throw error;
    },
  });
  const jobs = createJobServices(state.store, {
    clock,
    masterKey: MASTER_KEY,
    identity: state.identity,
    maxDatasetBytes: 1_048_576,
    trustUsers: false,
    program: options.program,
    permissionOf: (model) => permissionOf(models, model),
    encoderPath: (model) => Promise.resolve(options.encoderPaths?.[model]),
    onEnded: (trx, job) => workflows.ended(trx, job),
  });
  const compute = 'local';
  const workflows = createWorkflows(state.store, { clock, models, compute, services: jobs });
  const tokenCounter = createTokenCounter();
  const { log } = kernel;
  const redactor = createRedactor([{ value: MASTER_KEY, isNamed: true }]);
  const prompts = createPromptWriter({
    promptLog: state.promptLog,
    redactor,
    log,
  });
  const policy = createPolicy({ guardrailHits: state.guardrailHits, prompts, clock });
  const stored = createStored({
    state,
    models,
    policy,
    tokenCounter,
    clock,
    log,
    onError: (error) => {
      throw error;
    },
  });
  state.beforeClose?.(() => stored.close());
  const answerCache = answerCacheOn(state.store, clock, state.cacheClears);
  const idempotency = createIdempotency({
    store: state.store,
    settings: () => options.idempotency ?? IDEMPOTENCY_DEFAULTS,
    clock,
    onError: (error) => {
      throw error;
    },
  });
  state.beforeClose?.(() => idempotency.close());
  const signIn = options.signIn?.(state, clock);
  const completionParts = {
    state,
    policy,
    models,
    telemetry,
    tokenCounter,
    answerCache,
    providerQueue: createProviderQueue({ clock, settings: () => QUEUE_DEFAULTS }),
    lifecycle: kernel.lifecycle,
    clock,
    log: kernel.log,
  };
  const { sampler, evaluations } = openShadow({
    ...completionParts,
    records: state.shadowRecords,
    redactor,
    // The clock of most tests stands still, so a pause while this process is busy would never end.
    utilization: () => 0,
  });
  state.beforeClose?.(() => evaluations.close());
  const context: GatewayContext = {
    kernel,
    clock,
    state,
    signIn,
    jobs,
    workflows,
    experiments: createExperiments(state.store, { clock, datasets: jobs.datasets, workflows }),
    answers: createExperimentAnswers({ db: state.store.db, cache: answerCache, models, clock }),
    singleJobs: createSingleJobs(state.store, { models, compute, services: jobs }),
    compute,
    models,
    policy,
    ...testRegistry(state.modelEntries),
    tokenCounter,
    completions: createCompletions({ ...completionParts, sampler }),
    providerQueue: completionParts.providerQueue,
    idempotency,
    stored,
    telemetry,
    alertsConfig: () => options.alerts,
    hasFeedback: options.hasFeedback ?? true,
    version: '1.2.3',
    threads: createServingThreads(),
    signInUrl: signIn?.publicUrl,
    userTokens: createUserTokens({
      seed: () => signingKey(state.store.db, 'user tokens'),
      masterKey: undefined,
      clock,
    }),
    workerPayer: (token) => jobs.access.payer(token),
    isDatabaseAvailable: createDatabaseCheck({
      ledger: state.ledger,
      shown: 'the test’s',
      clock,
      log: kernel.log,
    }),
    reload: options.reload ?? (() => Promise.resolve()),
  };
  const appOptions = {
    ...APP_OPTIONS,
    ...options,
    server: { ...APP_OPTIONS.server, ...options.server },
  };
  const { app } = gatewayApi(context, appOptions);
  const closers: (() => Promise<void>)[] = [
    () => evaluations.close(),
    () => telemetry.close(),
    () => prompts.close(),
    () => stored.close(),
    () => idempotency.close(),
  ];
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> =>
    readAnswer(await app.request(path, init));
  return {
    app,
    context,
    kernel,
    clock,
    held,
    promptsWritten: () => prompts.close(),
    evaluated: () => evaluations.idle(),
    request,
    ask: (method, path, body, headers = {}) =>
      request(path, {
        method,
        headers: {
          'X-Gateway-Key': `Bearer ${MASTER_KEY}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async listen() {
      const hostname = '127.0.0.1';
      const refuse = malformedRequestAnswer;
      const upgrades = realtimeUpgrades(context, appOptions);
      const listener = await listenHttp({ app, hostname, port: 0, portFlag: '--port', refuse, upgrades });
      closers.push(() => listener.close(0));
      return `http://${hostname}:${listener.port}`;
    },
    async close() {
      for (const close of closers.toReversed()) await close();
    },
  };
}

/** Default app options, of which a test overrides some. */
export const APP_OPTIONS: GatewayAppOptions = {
  hasMasterKey: true,
  metrics: 'open',
  server: {
    host: '127.0.0.1',
    allowedHosts: [],
    corsOrigins: [],
    maxBodyBytes: 1_048_576,
    bodyTimeoutMs: 5000,
    publicUrl: undefined,
  },
};

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
