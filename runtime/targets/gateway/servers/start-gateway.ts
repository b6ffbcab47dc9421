import { AppError } from '#contract/errors.ts';
import { findPort, formatAddress } from '#serve/bind.ts';
import { connectHttp, listenHttp } from '#serve/http/listen.ts';
import { createLog, type Logger } from '#serve/log.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import { assertSafeToListen } from '#serve/program/listen-policy.ts';
import { logConfigProblems } from '#serve/program/reloader.ts';
import { createShutdown } from '#serve/program/shutdown.ts';
import { createRedactor } from '#serve/redact.ts';
import { countRegularly } from '../accounts/ledger/trends/count-regularly.ts';
import { enforceRetention } from '../accounts/retention.ts';
import type { Keys } from '../accounts/identity/identity.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { LoadedGatewayConfig } from '../config/read-config.ts';
import { gatewayApi, type GatewayApi } from '../api/app.ts';
import { realtimeUpgrades } from '../api/realtime.ts';
import { malformedRequestAnswer } from '../api/http/errors.ts';
import { exposureOf } from './exposure.ts';
import { openContext, type OpenedContext } from './open-context.ts';
import { createGatewayReloader } from './reloader.ts';
import { createServingThreads } from './threads/serving-threads.ts';
import type { CopiedFlags } from '../config/flags-and-env.ts';
import type { GatewayConfig, ServerConfig, WorkflowsConfig } from '../config/spec.ts';
import type { GatewayState } from '../gateway-state.ts';
import { isDeepStrictEqual } from 'node:util';
import { keysOf } from '#core/values/keys.ts';
import { isSea } from 'node:sea';
import { ownCommand } from '#platform/own-command.ts';
import { createLocalCompute } from '../evaluation/jobs/compute/local.ts';
import { createRayCompute } from '../evaluation/jobs/compute/ray.ts';
import { createRunner, type Runner } from '../evaluation/jobs/runner/runner.ts';

export interface StartOptions {
  /** Reads the configuration, at startup and on every reload. */
  readonly read: () => Promise<LoadedGatewayConfig>;
  /** The flags that `read` uses, for other threads. Default: none. */
  readonly flags?: CopiedFlags;
  /** Writes a log line. */
  readonly write: (line: string) => void;
  /** Whether to reload the configuration when its file changes. */
  readonly watch?: boolean;
}

export interface RunningGateway {
  /** URL of the gateway. */
  readonly url: string;
  readonly config: LoadedGatewayConfig;
  /** The models in the file and in the database at startup. */
  readonly models: Pick<ModelsConfig, 'providers' | 'aliases'>;
  readonly log: Logger;
  /** Number of requests in flight. */
  readonly requests: () => number;
  /** The API key that was created because none existed. It cannot be shown again. */
  readonly firstKey: string | undefined;
  readonly reload: () => Promise<void>;
  /** Resolves with the reason if the gateway cannot continue. */
  readonly failed: Promise<string>;
  /** Finishes accepted requests, rejects new ones, and closes everything. */
  readonly stop: () => Promise<void>;
}

/** Maximum time to send errors to unfinished requests and record their usage. */
const MAX_CLOSE_MS = 2000;

/** Starts the gateway and its server. */
export async function startGateway({
  read,
  flags = {},
  write,
  watch = false,
}: StartOptions): Promise<RunningGateway> {
  const config = await read();
  const { server, masterKey } = config;
  assertSafeToListen(exposureOf(config));
  const redactor = createRedactor(config.secrets);
  const log = createLog(config.logLevel, { write: (line) => write(redactor.text(line)) });
  logConfigProblems(config, log);

  const closers = createCloserStack();
  try {
    let current = config;
    const reload = async (): Promise<void> => {
      try {
        await reloader.reload();
      } catch (error) {
        await context.recordReload({ error: AppError.from(error) });
        throw error;
      }
    };
    const threads = createServingThreads();
    const context = await openContext({ config, log, redactor, reload, threads });
    closers.add(context.close);
    const { kernel, state } = context;
    // Part of the timeout is reserved for recording the usage of requests that are closed when it expires.
    const closeMs = Math.min(MAX_CLOSE_MS, server.shutdownMs / 4);
    const shutdown = createShutdown({
      program: 'gateway',
      lifecycle: threads.stopping(kernel.lifecycle),
      closers,
      clock: context.clock,
      delayMs: server.shutdownDelayMs,
      drainMs: server.shutdownMs - closeMs,
      closeMs,
      // Workers send requests to this gateway for as long as they run.
      beforeDrain: () => runner.close(),
    });
    closers.add(() => context.telemetry.close(shutdown.graceMs()));
    const reloader = createGatewayReloader({
      config,
      read,
      async apply(fresh) {
        redactor.learn(fresh.secrets);
        await state.prices.seed(fresh.models.pricing);
        context.modelFollower.replaceFile(fresh);
        context.replaceAlerts(fresh.alerts);
        log.level = fresh.logLevel;
        await threads.reload(log);
        await context.recordReload({ changed: changedSettings(current, fresh) });
        current = fresh;
      },
      log,
      clock: context.clock,
    });
    closers.add(reloader.close);
    const prune = async (now: number): Promise<void> => {
      await pruneRecords(state, current, now);
      await state.shadowRecords.prune(now);
      await context.idempotency.prune(now);
      await state.pruneLimits(now);
    };
    closers.add(enforceRetention({ prune, clock: context.clock, onError: context.onError }));
    closers.add(countRegularly(state.trends, context.clock, context.onError));
    const firstKey = config.bootstrapKey ? await createFirstKey(state.identity.keys) : undefined;

    const options = { server, hasMasterKey: masterKey !== undefined, metrics: config.metrics };
    const { app, direct } = gatewayApi(context, options);
    const address = { hostname: server.host, port: server.port, portFlag: '--port' };
    const http = {
      app,
      direct,
      upgrades: realtimeUpgrades(context, options),
      lifecycle: kernel.lifecycle,
      refuse: malformedRequestAnswer,
    };
    closers.add(() => kernel.lifecycle.drain(MAX_CLOSE_MS));
    let port: number;
    if (server.threads === 1) {
      const listener = await listenHttp({ ...http, ...address, tls: server.tls });
      ({ port } = listener);
      closers.add(() => listener.close(shutdown.graceMs()));
    } else {
      const { accept, close } = connectHttp(http);
      closers.add(() => close(shutdown.graceMs()));
      closers.add(() => threads.close(shutdown.graceMs(), MAX_CLOSE_MS));
      const order = { flags, threads: server.threads };
      await threads.start(order, { context, write, accept });
      port = await findPort(address);
      await threads.listen(port);
    }
    const url = `${server.tls ? 'https' : 'http'}://${formatAddress(server.host, port)}`;
    const { workflows } = config;
    const runner = await openRunner(context, { app, server, url, port, workflows, log });
    closers.add(runner.close);
    if (watch) reloader.watch();
    kernel.lifecycle.ready();
    threads.ready();
    runner.start();
    return {
      url,
      config,
      models: context.modelFollower.current(),
      log,
      requests: kernel.lifecycle.inside,
      firstKey,
      reload,
      failed: threads.failed,
      stop: shutdown.run,
    };
  } catch (error) {
    await closers.abandon();
    throw error;
  }
}

/** Creates an API key if none exists, and returns its secret, which is not stored. */
async function createFirstKey(keys: Keys): Promise<string | undefined> {
  const [existing] = await keys.list({ skip: 0, limit: 1 });
  if (existing) return undefined;
  const { secret } = await keys.create({ keyName: 'bootstrap', metadata: { bootstrap: true } });
  return secret;
}

/** Deletes records that have exceeded their retention. */
async function pruneRecords(
  {
    auditLog,
    guardrailHits,
    promptLog,
    feedback,
  }: Pick<GatewayState, 'auditLog' | 'guardrailHits' | 'promptLog' | 'feedback'>,
  { audit, promptLog: prompts }: Pick<GatewayConfig, 'audit' | 'promptLog'>,
  now: number,
): Promise<void> {
  await auditLog.prune(timeOf(audit.retentionMs, now));
  await guardrailHits.prune(timeOf(audit.retentionMs, now));
  await promptLog.prune(timeOf(prompts.retentionMs, now));
  await feedback.prune(timeOf(prompts.retentionMs, now));
}

/** Records older than this time are deleted. */
const timeOf = (retentionMs: number | undefined, now: number): number =>
  retentionMs === undefined ? 0 : Math.floor(now - retentionMs);

/** Names of the configuration sections that differ, without values, which can be secrets. */
function changedSettings(before: GatewayConfig, after: GatewayConfig): string[] {
  const { models: oldModels, ...old } = before;
  const { models: freshModels, ...fresh } = after;
  return [...differing(oldModels, freshModels), ...differing(old, fresh)]
    .filter((name) => !BOOKKEEPING.has(name))
    .toSorted();
}

/** Properties of a loaded configuration that are derived from other properties. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'secrets',
  'file',
  'files',
  'sources',
  'warnings',
  'withStored',
]);

const differing = <Part extends object>(before: Part, after: Part): string[] =>
  keysOf(after)
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map(String);

const MAIN = new URL('../main.ts', import.meta.url);
/** Run from source, the gateway consists of many files, which nodes cannot download. */
const INSTALLED = isSea() ? undefined : 'gateway';

interface RunnerParts {
  readonly app: GatewayApi['app'];
  readonly server: Pick<ServerConfig, 'host' | 'tls'>;
  /** URL of the gateway. */
  readonly url: string;
  readonly port: number;
  readonly workflows: WorkflowsConfig;
  readonly log: Logger;
}

/** Creates the job runner and the URL at which its workers reach this gateway. */
async function openRunner(
  { jobs, clock, watch }: Pick<OpenedContext, 'jobs' | 'clock' | 'watch'>,
  { app, server, url, port, workflows, log }: RunnerParts,
): Promise<Runner> {
  const closers = createCloserStack();
  let localUrl = `http://${formatAddress(reachableHost(server.host), port)}`;
  if (server.tls) {
    // Local workers use HTTP, because they do not know which host name the certificate is valid for.
    const hostname = '127.0.0.1';
    const http = await listenHttp({
      app,
      hostname,
      port: 0,
      portFlag: '--port',
      refuse: malformedRequestAnswer,
    });
    closers.add(() => http.close(0));
    localUrl = `http://${formatAddress(hostname, http.port)}`;
  }
  const { slots, workers, ray } = workflows;
  const runner = createRunner({
    ...jobs,
    computes: [
      { compute: createLocalCompute({ command: ownCommand(MAIN), watch }), slots },
      ...(ray
        ? [
            {
              compute: createRayCompute({ ...ray, command: ray.command ?? INSTALLED, clock }),
              slots: ray.slots,
            },
          ]
        : []),
    ],
    workers,
    gatewayUrl: (compute) => (compute === 'local' ? localUrl : (ray?.gatewayUrl ?? url)),
    clock,
    log,
  });
  closers.add(runner.close);
  return { start: runner.start, close: closers.close };
}

/** Replaces a wildcard address with a loopback address that requests can use. */
const reachableHost = (host: string): string =>
  ({ '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' })[host] ?? host;
