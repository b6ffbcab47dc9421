import { configError } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { readText } from '#platform/read-text.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { durationOption, listOption, requiredNumber, wholeNumberOption } from '#serve/cli/values.ts';
import { logLevel, type LogLevel } from '#serve/log-levels.ts';
import { readTracing } from '#serve/telemetry/read-tracing.ts';
import type { Selection } from '../access/selection.ts';
import { type McpMode, parseMcpMode } from '../config/mcp-mode.ts';
import { configPaths } from '../config/config-paths.ts';
import type { DaemonSettings, ServerTimeouts } from '../config/spec.ts';
import { RESULT_LIMITS } from '../long-results/result-limits.ts';
import type { ScriptSettings } from '../scripts/limits.ts';
import { readScriptSettings } from './script-options.ts';
import type { ContextSettings } from './open-context.ts';
import { readScanClassifier, readSearchEncoder } from './settings.ts';

/** Settings for `stdio`. */
export interface StdioSettings extends ContextSettings {
  /** The manager's address from the command line or the environment. If set, a manager must be running there. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** Whether to ignore a running manager. */
  readonly local: boolean;
  readonly selection: Selection;
  /** The group to serve; undefined for everything. */
  readonly group: string | undefined;
  readonly daemon: Partial<DaemonSettings>;
  readonly timeouts: Partial<ServerTimeouts>;
  readonly mcpMode: McpMode;
  readonly scripts: ScriptSettings;
  readonly resultLimit: number | undefined;
  readonly watch: boolean;
  readonly logLevel: LogLevel;
}

export async function readStdioSettings(
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
): Promise<StdioSettings> {
  const local = invocation.flag('local');
  if (local && invocation.given('url'))
    throw new UsageError('--local and --url conflict with each other; use one of them.');
  return {
    paths: configPaths(invocation, env),
    env,
    url: invocation.value('url'),
    apiKey: await readApiKey(invocation),
    local,
    selection: readSelection(invocation),
    group: invocation.value('group'),
    daemon: omitUndefined({
      healthMs: durationOption(invocation, 'timeout-mcp-health'),
      healthIntervalMs: durationOption(invocation, 'interval-mcp-health'),
      searchEncoder: readSearchEncoder(invocation),
      scanClassifier: readScanClassifier(invocation),
    }),
    timeouts: omitUndefined({
      install: durationOption(invocation, 'timeout-mcp-install'),
      init: durationOption(invocation, 'timeout-mcp-init'),
      request: durationOption(invocation, 'timeout-mcp-request'),
      shutdown: durationOption(invocation, 'timeout-mcp-shutdown'),
    }),
    maxResultCharacters: requiredNumber(invocation, 'max-result', { min: 1, max: 2 ** 30 }),
    mcpMode: parseMcpMode(invocation.value('mcp-mode')) ?? 'all',
    scripts: readScriptSettings(invocation),
    resultLimit: wholeNumberOption(invocation, 'result-limit', RESULT_LIMITS),
    watch: !invocation.flag('no-watch'),
    auditLog: invocation.value('audit-log'),
    auditArguments: invocation.value('audit-arguments') === 'redacted' ? 'redacted' : 'hashed',
    auditFailure: invocation.value('audit-failure') === 'reject' ? 'reject' : 'continue',
    ...readTracing(invocation, env, 'mcp-manager'),
    logLevel: logLevel(invocation.value('log-level')),
  };
}

/** Parses `--servers` and `--tools`. */
export function readSelection(invocation: Invocation): Selection {
  const selection = { servers: listOption(invocation, 'servers'), tools: listOption(invocation, 'tools') };
  for (const name of ['servers', 'tools'] as const) {
    // An empty list would select everything, which a script with an empty variable does not intend.
    if (invocation.given(name) && selection[name].length === 0)
      throw new UsageError(`--${name} is empty. Pass at least one value, or omit the flag to use all.`);
  }
  return selection;
}

/** Reads the key from `--api-key` or the file in `--api-key-file`. */
export async function readApiKey(invocation: Invocation): Promise<string | undefined> {
  const path = invocation.value('api-key-file');
  if (invocation.given('api-key') || path === undefined) return invocation.value('api-key');
  const file = await readText(path);
  const key = file?.text.trim() ?? '';
  if (key !== '') return key;
  const problem = file ? 'is empty' : 'does not exist';
  throw configError(`${path} ${problem}. Pass a file with an API key from \`mcp-manager keys create\`.`);
}
