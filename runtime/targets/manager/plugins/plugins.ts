import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { expand } from '#core/text/expand.ts';
import { levelOf } from '../supervisor/log-level.ts';
import { MAX_PLUGIN_BODY_BYTES } from './exchange.ts';
import { openByKind } from './open-by-kind.ts';
import type { PluginEnvironment } from './open-plugin.ts';
import { createPipeline, type Pipeline, RESPONSE_FAILURE } from './pipeline.ts';
import { PluginRunner } from './plugin-runner.ts';
import type { PluginFlow, PluginSettings, PluginSpec } from '../config/plugin-settings.ts';

export interface PluginsOptions {
  /** The folder to which paths in the settings are relative: that of the configuration. */
  readonly baseFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly checkIntervalMs?: number | undefined;
  readonly startTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** All plugins of the manager. */
export interface Plugins extends Pipeline {
  /** Whether a plugin is configured for the flow. */
  has(flow: PluginFlow): boolean;
  /** Skips the plugins for a response that is too large; throws if one of them is required. */
  skipResponse(requestId: string): void;
  close(): Promise<void>;
}

const CHECK_INTERVAL_MS = 10_000;
const START_TIMEOUT_MS = 10_000;

/**
 * Starts all plugins; resolves after the first attempt of each. Failed starts are retried, but a configuration error of a
 * required plugin rejects with a ConfigError.
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

/** Expands variables in the configuration and the URL of a plugin. */
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
