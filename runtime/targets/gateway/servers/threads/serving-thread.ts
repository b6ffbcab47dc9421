import { MessageChannel, type MessagePort, workerData } from 'node:worker_threads';
import { AppError } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#serve/log.ts';
import { listenHttp, type HttpListener } from '#serve/http/listen.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import { startWatchdog } from '#serve/program/watchdog/watchdog.ts';
import { createRedactor } from '#serve/redact.ts';
import { PortConnection } from '#serve/threads/port-connection.ts';
import { createRelay } from '#serve/threads/relay-requests.ts';
import { openThreadLink, type ThreadFunctions } from '#serve/threads/thread-link.ts';
import { modelApi } from '../../api/model-api.ts';
import { malformedRequestAnswer } from '../../api/http/errors.ts';
import { readCopiedFlags } from '../../config/flags-and-env.ts';
import { readGatewayConfig } from '../../config/read-config.ts';
import type { LiveRequest } from '../../requests/completions/completion.ts';
import { keyStatesOf, targetStatesOf } from '../../requests/models/models.ts';
import { openModelCalls } from '../open-model-calls.ts';
import type { MainFunctions, ServingFunctions, ServingOrder, StartFunctions } from './functions.ts';
import { createServingThreads } from './serving-threads.ts';

// A serving thread of the gateway. It handles model requests, and passes all others to the main thread
// (docs/decisions/0160).

const { order, port } = workerData as { readonly order: ServingOrder; readonly port: MessagePort };

const main = openThreadLink<MainFunctions & StartFunctions>(port);
void start();

async function start(): Promise<void> {
  try {
    main.offer(await openServing());
    main.tell('opened');
  } catch (error) {
    const { code, message } = AppError.from(error);
    main.tell('refused', { code, message });
  }
}

async function openServing(): Promise<ServingFunctions & ThreadFunctions> {
  const read = () => readGatewayConfig(readCopiedFlags(order.flags, process.env), process.env);
  const config = await read();
  const { server, masterKey, metrics } = config;
  const redactor = createRedactor(config.secrets);
  const log = createLog(config.logLevel, { write: (line) => main.tell('log', redactor.text(line)) });
  const closers = createCloserStack();
  const context = await openModelCalls({
    config,
    log,
    redactor,
    clock: systemClock,
    closers,
    threads: createServingThreads(),
    main,
    encoders: { onLine: () => undefined },
    workerPayer: (token) => main.call('workerPayer', token),
  }).catch(async (error: unknown) => {
    await closers.abandon();
    throw error;
  });
  const { kernel, state, models, completions, providerQueue } = context;
  const { lifecycle } = kernel;
  const { app, direct, callsModel } = modelApi(context, {
    server,
    hasMasterKey: masterKey !== undefined,
    metrics,
  });
  const relay = createRelay({
    connect(ends) {
      const { port1, port2 } = new MessageChannel();
      main.give('connect', ends, port2);
      return new PortConnection(port1);
    },
    refuse: malformedRequestAnswer,
  });
  const stopWatchdog = startWatchdog({
    timeoutMs: server.watchdogMs,
    requests: lifecycle.inside,
    isMainThread: false,
  });
  let http: HttpListener | undefined;
  return {
    async listen(shared) {
      http = await listenHttp({
        app,
        direct,
        passOn(incoming, outgoing) {
          if (callsModel(incoming)) return false;
          relay.request(incoming, outgoing);
          return true;
        },
        upgrades: relay.upgrades,
        hostname: server.host,
        port: shared,
        portFlag: '--port',
        isShared: true,
        tls: server.tls,
        lifecycle,
        refuse: malformedRequestAnswer,
      });
    },
    ready: lifecycle.ready,
    noticeRevision: state.noticeRevision,
    learn: (event) => models.learn(event),
    live: () => completions.live().map(withoutFunctions),
    targets: () => targetStatesOf(models),
    keys: () => keyStatesOf(models, systemClock.now()),
    waiting: () => providerQueue.waiting(),
    metrics: async () => await kernel.metrics.getMetricsAsJSON(),
    async reload() {
      const fresh = await read();
      redactor.learn(fresh.secrets);
      context.modelFollower.replaceFile(fresh);
      log.level = fresh.logLevel;
    },
    announceStop: lifecycle.announceStop,
    drain: lifecycle.drain,
    cut: ({ code, message, reason }) => lifecycle.cut(new AppError(code, message, { reason })),
    async close(graceMs, drainMs) {
      stopWatchdog();
      await http?.close(graceMs);
      await lifecycle.drain(drainMs);
      await context.telemetry.close(graceMs);
      await closers.close();
    },
  };
}

/** A copy for another thread. Responses that are still being read stay in this thread. */
const withoutFunctions = (request: LiveRequest): LiveRequest => ({
  ...request,
  attempts: request.attempts.map((attempt) => ({ ...attempt, abandoned: undefined })),
});
