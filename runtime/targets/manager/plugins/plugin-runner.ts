import { AppError, messageOf } from '#contract/errors.ts';
import { planRestart } from '#core/limits/restart-policy.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { OpenPlugin } from './open-plugin.ts';
import type { PluginFlow, PluginSpec } from '../config/plugin-settings.ts';

export interface RunnerOptions {
  readonly spec: PluginSpec;
  readonly open: (signal: AbortSignal) => Promise<OpenPlugin>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly checkIntervalMs: number;
}

/** Number of consecutive failed health checks after which a plugin is restarted. */
const MAX_FAILED_CHECKS = 3;

/** Keeps a plugin running: restarts it after a delay when it has ended or failed to start. */
export class PluginRunner {
  readonly spec: PluginSpec;
  readonly #options: RunnerOptions;
  readonly #closing = new AbortController();
  #plugin: OpenPlugin | undefined;
  /** The flows of the plugin, also while it is down. */
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

  /** Resolves after the first attempt. Rejects if a required plugin has a configuration error, because retries cannot help. */
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
    this.#options.log.warn({ reason: how }, 'plugin ended');
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

  /** Closes a plugin. A failure is only logged, so that it does not prevent others from closing. */
  async #end(plugin: OpenPlugin): Promise<void> {
    try {
      await plugin.close();
    } catch (error) {
      this.#options.log.warn({ reason: messageOf(error) }, 'closing the plugin failed');
    }
  }
}
