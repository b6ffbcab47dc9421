import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Registry } from 'prom-client';
import { systemClock } from '../../../runtime/platform/clock.ts';
import { createLog } from '../../../runtime/serve/log.ts';
import { createRedactor } from '../../../runtime/serve/redact.ts';
import { ANYONE } from '../../../runtime/targets/manager/access/caller.ts';
import { createCalls } from '../../../runtime/targets/manager/calls/calls.ts';
import { loadEncoding } from '../../../runtime/targets/gateway/requests/tokens/load-encoding.ts';
import { SCRIPT_DEFAULTS } from '../../../runtime/targets/manager/scripts/limits.ts';
import { createScripts } from '../../../runtime/targets/manager/scripts/scripts.ts';
import { createSupervisor } from '../../../runtime/targets/manager/supervisor/supervisor.ts';
import { openConnection } from '../../../runtime/targets/manager/upstream/open-connection.ts';
import { AGENTS, QUESTION } from '../code-mode/agents.ts';
import { type Counted, converse } from '../code-mode/conversation.ts';
import { type GithubTool, githubTools } from '../code-mode/github-tools.ts';
import { startSource } from '../manager/source.ts';
import { print, printGoal, printTable, ratio } from '../measure/print.ts';
import { interleave, median } from '../measure/rounds.ts';
import { PATHS } from '../setup/paths.ts';
import { serverSpec } from '../../runtime/targets/manager/server-spec.ts';
import { readPluginSettings } from '../../../runtime/targets/manager/config/read-plugins.ts';
import { type Plugins, startPlugins } from '../../../runtime/targets/manager/plugins/plugins.ts';
import { type Managed, openManager } from '../../runtime/targets/manager/mcp/managed.ts';
import type { Section } from './section.ts';

const TOOL_COUNTS = [100, 500] as const;
const MODES = ['all', 'search', 'code'] as const;
type Mode = (typeof MODES)[number];

const CALLS = 1000;
const ROUNDS = 9;
const GOAL_RATIO = 0.15;
const GOAL_MS = 0.3;

/** The tokens of a conversation in each mode, and the time that a script adds to a call. */
export const codeMode: Section = {
  title: 'Code mode of mcp-manager',
  linuxOnly: false,
  async run() {
    const encoding = await loadEncoding('o200k');
    const count = (text: string): number => encoding.count(text);
    for (const tools of TOOL_COUNTS) await compareTokens(await githubTools(tools), count);
    await measureOverhead();
    await measurePlugins();
  },
};

/** Runs the same task in each mode, and prints the tokens. */
async function compareTokens(tools: readonly GithubTool[], count: (text: string) => number): Promise<void> {
  const counted = {} as Record<Mode, Counted>;
  for (const mode of MODES) {
    counted[mode] = await withManager(tools, mode, (client) =>
      converse(client, QUESTION, AGENTS[mode](), count),
    );
  }
  print(`${tools.length} tools. All modes give this answer: ${JSON.stringify(counted.all.answer)}\n`);
  for (const mode of MODES) {
    if (counted[mode].answer !== counted.all.answer) throw new Error(`${mode}: ${counted[mode].answer}`);
  }
  printTable(
    ['mode', 'requests to the model', 'input tokens', 'output tokens', 'input, relative'],
    MODES.map((mode) => [
      mode,
      String(counted[mode].requests),
      String(counted[mode].input),
      String(counted[mode].output),
      (counted[mode].input / counted.all.input).toFixed(3),
    ]),
  );
  if (tools.length < 500) return;
  const share = counted.code.input / counted.all.input;
  printGoal(`input tokens at most ${GOAL_RATIO} of the mode all`, share.toFixed(3), share <= GOAL_RATIO);
  print();
}

async function withManager<Result>(
  tools: readonly GithubTool[],
  mode: Mode,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-code-mode-'));
  const file = join(folder, 'tools.json');
  await writeFile(file, JSON.stringify(tools));
  const program = join(PATHS.bench, 'code-mode/github-server.mjs');
  const names = [...new Set(tools.map(({ server }) => server))];
  const servers = Object.fromEntries(names.map((name) => [name, [program, file, name]]));
  const manager = await startSource(servers, ['--mcp-mode', mode]);
  const client = new Client({ name: 'bench', version: '1' });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${manager.port}/mcp`)));
    return await use(client);
  } finally {
    await client.close();
    await manager.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compares calls of a script with the same calls in the manager, without HTTP. */
async function measureOverhead(): Promise<void> {
  const supervisor = createSupervisor({
    open: openConnection,
    settings: { healthMs: 3000, healthIntervalMs: 10_000 },
    log: createLog('error', { write: print }),
    redact: (text) => text,
    servers: [serverSpec('echo', 'echo')],
  });
  const calls = createCalls({ supervisor, redact: createRedactor() });
  const settings = { ...SCRIPT_DEFAULTS, calls: CALLS };
  const scripts = createScripts({
    calls,
    clock: systemClock,
    metrics: new Registry(),
    audit: undefined,
    settings,
  });
  const call = { caller: ANYONE, requestId: 'bench' };
  const runScript = async (source: string): Promise<number> => {
    const startedAt = performance.now();
    const { result } = await scripts.run({ ...call, signal: new AbortController().signal }, source);
    if (result.isError) throw new Error(JSON.stringify(result.content));
    return performance.now() - startedAt;
  };
  try {
    const direct = async (): Promise<number> => {
      const startedAt = performance.now();
      for (let at = 0; at < CALLS; at += 1) {
        await calls.callTool({ ...call, server: 'echo', tool: 'add', args: { a: at, b: 1 } });
      }
      return performance.now() - startedAt;
    };
    const contestants = {
      direct,
      script: () => runScript(`for i = 1, ${CALLS} do tools.echo.add{ a = i, b = 1 } end\nreturn 1`),
      empty: () => runScript('return 1'),
    };
    print(`first script of the manager: ${(await contestants.empty()).toFixed(1)} ms\n`);
    await interleave(contestants, 2);
    const measured = await interleave(contestants, ROUNDS);
    const perCall = { direct: median(measured.direct) / CALLS, script: median(measured.script) / CALLS };
    printTable(
      [`${CALLS} sequential calls, medians of ${ROUNDS} interleaved rounds`, 'ms per call'],
      [
        ['direct', perCall.direct.toFixed(3)],
        ['in a script', perCall.script.toFixed(3)],
        ['in a script, relative', ratio(perCall.script / perCall.direct)],
        ['script without calls', median(measured.empty).toFixed(2)],
      ],
    );
    const overhead = median(measured.script.map((time, at) => (time - (measured.direct[at] ?? 0)) / CALLS));
    printGoal(
      `a script adds less than ${GOAL_MS} ms to a call`,
      `${overhead.toFixed(3)} ms`,
      overhead < GOAL_MS,
    );
  } finally {
    await scripts.close();
    await supervisor.close();
    await calls.close();
  }
}

/** Compares the calls of a script with the same calls behind a plugin, a module that accepts everything. */
async function measurePlugins(): Promise<void> {
  const behavior = { name: 'module', kind: 'js', path: 'module.mjs', flows: ['request', 'response'] };
  const settings = readPluginSettings(
    { audit: [{ ...behavior, required: true, config: { behavior: 'observe' } }] },
    (_path, message) => {
      throw new Error(message);
    },
  );
  const plugins = await startPlugins(settings, {
    baseFolder: join(PATHS.repository, 'fixtures/mcp-plugins'),
    env: {},
    log: createLog('error', { write: print }),
  });
  const open = async (own?: Plugins): Promise<Managed> =>
    await openManager({
      mode: 'code',
      plugins: own,
      servers: [serverSpec('echo', 'echo')],
      scripts: { ...SCRIPT_DEFAULTS, calls: CALLS },
    });
  const managers = { plain: await open(), inspected: await open(plugins) };
  try {
    const runner = async ({ connect, running }: Managed): Promise<() => Promise<number>> => {
      await running('echo');
      const client = await connect();
      const script = `for i = 1, ${CALLS} do tools.echo.add{ a = i, b = 1 } end\nreturn 1`;
      return async () => {
        const startedAt = performance.now();
        const { isError, content } = await client.callTool({ name: 'run_script', arguments: { script } });
        if (isError === true) throw new Error(JSON.stringify(content));
        return (performance.now() - startedAt) / CALLS;
      };
    };
    const contestants = {
      plain: await runner(managers.plain),
      inspected: await runner(managers.inspected),
    };
    await interleave(contestants, 2);
    const measured = await interleave(contestants, ROUNDS);
    printTable(
      [`${CALLS} sequential calls of a script, medians of ${ROUNDS} interleaved rounds`, 'ms per call'],
      [
        ['without plugins', median(measured.plain).toFixed(3)],
        ['with a module that sees requests and responses', median(measured.inspected).toFixed(3)],
        ['relative', ratio(median(measured.inspected) / median(measured.plain))],
      ],
    );
  } finally {
    await Promise.all(Object.values(managers).map((managed) => managed.close()));
    await plugins.close();
  }
}
