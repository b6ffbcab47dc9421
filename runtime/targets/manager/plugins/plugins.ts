import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { expand } from '#core/text/expand.ts';
import { levelOf } from '../supervisor/log-level.ts';
import {
  MAX_PLUGIN_BODY_BYTES,
  type PluginAnswer,
  type PluginRequest,
  type PluginResponse,
} from './exchange.ts';
import type { PluginEnvironment, OpenPlugin } from './open-plugin.ts';
import {
  type PluginFlow,
  type PluginSettings,
  type PluginSpec,
  CATEGORY_RULES,
  type CategoryRules,
  PLUGIN_CATEGORIES,
} from '../config/plugin-settings.ts';
import { changeRequest, changeResponse, checkAnswer } from './change.ts';
import { planRestart } from '#core/limits/restart-policy.ts';

export interface PluginsOptions {
  /** The folder that paths in the settings are relative to: the configuration's folder. */
  readonly baseFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly checkIntervalMs?: number | undefined;
  readonly startTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** All of the manager's plugins. */
export interface Plugins extends Pipeline {
  /** Whether any plugin is configured for the flow. */
  has(flow: PluginFlow): boolean;
  /** Skips the plugins for a response that is too large; throws if one of them is required. */
  skipResponse(requestId: string): void;
  close(): Promise<void>;
}

/** Whether plugins inspect any messages. */
export const inspectMessages = (plugins: Pick<Plugins, 'has'> | undefined): plugins is Plugins =>
  plugins !== undefined && (plugins.has('request') || plugins.has('response'));

const CHECK_INTERVAL_MS = 10_000;
const START_TIMEOUT_MS = 10_000;

/**
 * Starts all plugins; resolves after the first attempt of each. Failed starts are retried, but a required
 * plugin's configuration error rejects with a ConfigError.
 */
export async function startPlugins({ plugins }: PluginSettings, options: PluginsOptions): Promise<Plugins> {
  const { baseFolder, env, log } = options;
  const socketFolder = plugins.length === 0 ? '' : await mkdtemp(join(tmpdir(), 'mcp-manager-'));
  const runners = plugins.map((spec) => {
    const ownLog = log.child({ plugin: spec.name });
    const environment: PluginEnvironment = {
      baseFolder,
      socketFolder,
      env,
      startTimeoutMs: options.startTimeoutMs ?? START_TIMEOUT_MS,
      onLog: (line) => ownLog[levelOf(line)](line),
    };
    return new PluginRunner({
      spec,
      open: async (signal) => openByKind(resolveConfig(spec, env), environment, signal),
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      log: ownLog,
      checkIntervalMs: options.checkIntervalMs ?? CHECK_INTERVAL_MS,
    });
  });
  const close = async (): Promise<void> => {
    await Promise.all(runners.map((runner) => runner.close()));
    if (socketFolder !== '') await rm(socketFolder, { recursive: true, force: true });
  };

  const starts = await Promise.allSettled(runners.map((runner) => runner.start()));
  const problems = starts.flatMap((start, at) =>
    start.status === 'rejected' ? [explain(plugins[at], start.reason)] : [],
  );
  if (problems.length > 0) {
    await close();
    throw new AppError('ConfigError', problems.join('\n'));
  }
  const pluginsFor = (flow: PluginFlow): readonly PluginSpec[] =>
    plugins.filter(({ flows }) => flows.includes(flow));
  return {
    ...createPipeline(runners, log),
    has: (flow) => pluginsFor(flow).length > 0,
    skipResponse(requestId) {
      if (!pluginsFor('response').some(({ required }) => required)) {
        log.warn({ requestId }, 'response too large for plugins');
        return;
      }
      const cause = new Error(
        `The response is larger than the maximum of ${MAX_PLUGIN_BODY_BYTES} bytes for plugins.`,
      );
      throw new AppError('InternalError', RESPONSE_FAILURE, { cause });
    },
    close,
  };
}

/** Expands variables in a plugin's configuration and URL. */
function resolveConfig(spec: PluginSpec, env: PluginsOptions['env']): PluginSpec {
  const fill = (text: string, what: string): string => {
    const { text: filled, problems } = expand(text, env);
    if (problems.length > 0) throw configError(`${what}: ${problems.join(' ')}`);
    return filled;
  };
  const config = Object.entries(spec.config).map(
    ([key, text]) => [key, fill(text, `config.${key}`)] as const,
  );
  const { launch } = spec;
  return {
    ...spec,
    config: Object.fromEntries(config),
    launch: launch.kind === 'http' ? { ...launch, url: fill(launch.url, 'url') } : launch,
  };
}

const explain = (spec: PluginSpec | undefined, reason: unknown): string =>
  `The required ${spec?.category} plugin ${spec?.name} failed to start. ${messageOf(reason)}`;

/** Opens a plugin. Rejects with an AppError that explains the failure, and leaves no process running in that case. */
async function openByKind(
  spec: PluginSpec,
  environment: PluginEnvironment,
  signal: AbortSignal,
): Promise<OpenPlugin> {
  const { launch } = spec;
  // Imported on demand, because most managers have no plugins.
  if (launch.kind === 'exec') {
    const { openExecutable } = await import('./kinds/executable.ts');
    return openExecutable(spec, launch, environment, signal);
  }
  if (launch.kind === 'http') {
    const { openHook } = await import('./kinds/hook.ts');
    return openHook(spec, launch);
  }
  const { openModule } = await import('./kinds/module.ts');
  return openModule(spec, launch, environment);
}

/** The combined outcome of all plugins: the processed message, or the response of a plugin that rejected it. */
type Outcome<Message> = { readonly message: Message } | { readonly rejection: PluginAnswer };

interface Pipeline {
  request(request: PluginRequest, requestId: string): Promise<Outcome<PluginRequest>>;
  response(response: PluginResponse, requestId: string): Promise<Outcome<PluginResponse>>;
}

interface Flow<Message> {
  readonly name: PluginFlow;
  readonly failure: string;
  readonly call: (plugin: OpenPlugin, message: Message) => Promise<PluginAnswer>;
  readonly change: (message: Message, answer: PluginAnswer) => Message;
}

/** The error message for clients if a response cannot be processed. */
const RESPONSE_FAILURE = 'Response processing failed';

const REQUEST: Flow<PluginRequest> = {
  name: 'request',
  failure: 'Request processing failed',
  call: (plugin, request) => plugin.handleRequest(request),
  change: changeRequest,
};

const RESPONSE: Flow<PluginResponse> = {
  name: 'response',
  failure: RESPONSE_FAILURE,
  call: (plugin, response) => plugin.handleResponse(response),
  change: changeResponse,
};

/** Runs plugins by category. Rejects with an InternalError if a required plugin fails; the cause is only logged. */
function createPipeline(runners: readonly PluginRunner[], log: Logger): Pipeline {
  const categories = PLUGIN_CATEGORIES.map((category) => ({
    rules: CATEGORY_RULES[category],
    runners: runners.filter(({ spec }) => spec.category === category),
  }));

  const pass = async <Message>(
    first: Message,
    flow: Flow<Message>,
    requestId: string,
  ): Promise<Outcome<Message>> => {
    let message = first;
    for (const { rules, runners } of categories) {
      const active = runners.filter((runner) => runner.handles(flow.name));
      for (const group of rules.parallel ? [active] : active.map((runner) => [runner])) {
        const current = message;
        const results = await Promise.allSettled(group.map((runner) => call(runner, current, flow)));
        for (const [at, { spec }] of group.entries()) {
          const { answer, reason } = resultOf(results[at], spec.required);
          const context = { requestId, plugin: spec.name, flow: flow.name };
          if (!answer) log.warn({ ...context, reason }, 'plugin failed');
          else if (answer.continue) message = rules.canChange ? flow.change(message, answer) : message;
          else if (canReject(rules, spec.required)) {
            log.info({ ...context, status: answer.statusCode }, 'plugin rejected the message');
            return { rejection: answer };
          } else log.warn(context, 'rejection ignored: the plugin is not required and can only observe');
        }
      }
    }
    return { message };
  };
  return {
    request: (request, requestId) => pass(request, REQUEST, requestId),
    response: (response, requestId) => pass(response, RESPONSE, requestId),
  };
}

async function call<Message>(
  runner: PluginRunner,
  message: Message,
  flow: Flow<Message>,
): Promise<PluginAnswer> {
  try {
    const answer = await flow.call(runner.plugin(), message);
    checkAnswer(answer);
    return answer;
  } catch (error) {
    const { name, category } = runner.spec;
    const cause = new Error(`The ${category} plugin ${name} failed: ${messageOf(error)}`, { cause: error });
    throw new AppError('InternalError', flow.failure, { cause });
  }
}

function resultOf(
  outcome: PromiseSettledResult<PluginAnswer> | undefined,
  required: boolean,
): { readonly answer?: PluginAnswer; readonly reason?: string } {
  if (outcome?.status === 'fulfilled') return { answer: outcome.value };
  const error = AppError.from(outcome?.reason);
  if (required) throw error;
  return { reason: messageOf(error.cause) };
}

const canReject = ({ observes }: CategoryRules, required: boolean): boolean => required || !observes;

interface RunnerOptions {
  readonly spec: PluginSpec;
  readonly open: (signal: AbortSignal) => Promise<OpenPlugin>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly checkIntervalMs: number;
}

/** Number of consecutive failed health checks after which a plugin is restarted. */
const MAX_FAILED_CHECKS = 3;

/** Keeps a plugin running: restarts it with a delay when it has exited or failed to start. */
class PluginRunner {
  readonly spec: PluginSpec;
  readonly #options: RunnerOptions;
  readonly #closing = new AbortController();
  #plugin: OpenPlugin | undefined;
  /** The plugin's flows, also while it is down. */
  #flows: readonly PluginFlow[];
  #work: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;
  #failures = 0;
  #reason = 'It has not started yet.';

  constructor(options: RunnerOptions) {
    this.spec = options.spec;
    this.#options = options;
    this.#flows = options.spec.flows;
  }

  /**
   * Resolves after the first attempt. Rejects if a required plugin has a configuration error, because
   * retrying cannot help.
   */
  async start(): Promise<void> {
    const attempt = this.#open();
    this.#work = attempt.catch(() => undefined);
    try {
      await attempt;
    } catch (error) {
      if (this.spec.required && AppError.from(error).code === 'ConfigError') throw error;
      this.#failed(error);
    }
  }

  handles(flow: PluginFlow): boolean {
    return this.#flows.includes(flow);
  }

  /** Returns the running plugin; throws an Error with the reason if it is down. */
  plugin(): OpenPlugin {
    if (this.#plugin) return this.#plugin;
    throw new Error(`it is not running: ${this.#reason}`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancel?.();
    await this.#work;
    if (this.#plugin) await this.#end(this.#plugin);
  }

  async #open(): Promise<void> {
    const plugin = await this.#options.open(this.#closing.signal);
    this.#plugin = plugin;
    this.#flows = plugin.flows;
    this.#options.log.info({ flows: plugin.flows }, 'plugin ready');
    const startedAt = this.#options.clock.now();
    this.#checkLater(plugin, 0);
    void plugin.ended.then((how) => this.#ended(how, startedAt));
  }

  #ended(how: string, startedAt: number): void {
    this.#plugin = undefined;
    this.#cancel?.();
    this.#reason = how;
    if (this.#closing.signal.aborted) return;
    this.#options.log.warn({ reason: how }, 'plugin exited');
    this.#openLater(this.#options.clock.now() - startedAt);
  }

  #failed(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#reason = messageOf(error);
    this.#options.log.warn({ reason: this.#reason }, 'plugin not started');
    this.#openLater(undefined);
  }

  #openLater(ranFor: number | undefined): void {
    const { clock, random } = this.#options;
    const { failures, delay } = planRestart(
      this.#failures,
      ranFor === undefined ? undefined : { ranFor },
      random,
    );
    this.#failures = failures;
    this.#cancel = clock.after(delay, () => {
      this.#work = this.#open().catch((error: unknown) => this.#failed(error));
    });
  }

  #checkLater(plugin: OpenPlugin, failedBefore: number): void {
    if (!plugin.check) return;
    this.#cancel = this.#options.clock.after(this.#options.checkIntervalMs, () => {
      void this.#check(plugin, failedBefore);
    });
  }

  async #check(plugin: OpenPlugin, failedBefore: number): Promise<void> {
    const problem = await plugin.check?.().then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    if (this.#plugin !== plugin || this.#closing.signal.aborted) return;
    const failed = problem === undefined ? 0 : failedBefore + 1;
    if (problem !== undefined) this.#options.log.warn({ reason: problem }, 'plugin health check failed');
    if (failed < MAX_FAILED_CHECKS) this.#checkLater(plugin, failed);
    else await this.#end(plugin);
  }

  /** Closes a plugin. A failure is only logged, so that it does not prevent other plugins from closing. */
  async #end(plugin: OpenPlugin): Promise<void> {
    try {
      await plugin.close();
    } catch (error) {
      this.#options.log.warn({ reason: messageOf(error) }, 'closing the plugin failed');
    }
  }
}
