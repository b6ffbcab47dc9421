import { configError, messageOf } from '#contract/errors.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import { createLog } from '#serve/log.ts';
import { serveMcpOverStdio } from '#serve/mcp/stdio.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import { logConfigProblems } from '#serve/program/reloader.ts';
import { createRedactor } from '#serve/redact.ts';
import { requestIdFrom } from '#serve/http/request-head.ts';
import { ANYONE, type ToolCaller, LOCAL_USER } from '../access/caller.ts';
import { createCallerGroups, type CallerGroups } from '../access/groups.ts';
import { createManagerAccess } from '../access/manager-access.ts';
import { selectFor } from '../access/selection.ts';
import { type LoadedConfig, readConfig } from '../config/read-config.ts';
import type { McpClient } from '../mcp/client.ts';
import { createMcpEndpoints } from '../mcp/mcp-endpoints.ts';
import { openSessionServer } from '../mcp/session-server.ts';
import { changesFile, signInFolder } from '../sign-in/sign-in-folder.ts';
import { serverOfLine, refuseUnknownServers } from './start-manager.ts';
import { openManagerContext } from './open-context.ts';
import type { StdioProcess } from './stdio-process.ts';
import type { StdioSettings } from './stdio-settings.ts';

/** Maximum time for requests in flight after a stop signal. Clients kill a server after two seconds. */
const STOP_MS = 1000;
const TRACES_CLOSE_MS = 1000;
const NO_HEADERS = { get: () => null };

/**
 * Starts the selected servers in this process, and serves them to the client on stdin and stdout. Stops the
 * servers when the client disconnects.
 */
export async function serveLocally(settings: StdioSettings, io: StdioProcess): Promise<void> {
  const { paths, env, selection, group } = settings;
  const config = await readConfig(paths, env, { timeouts: settings.timeouts, keepsUnusable: true });
  const groups = createCallerGroups(config.groups);
  const person = selectFor({ ...ANYONE, name: 'stdio', user: LOCAL_USER, userId: LOCAL_USER }, selection);
  const callerIn = (table: CallerGroups): ToolCaller =>
    group === undefined ? person : enterGroup(table, person, group);
  const caller = callerIn(groups);
  const read = async (): Promise<LoadedConfig> => {
    const loaded = await readConfig(paths, env, { timeouts: settings.timeouts, keepsUnusable: true });
    // After a reload, its groups determine the servers.
    const latest = callerIn(createCallerGroups(loaded.groups));
    return {
      ...loaded,
      servers: loaded.servers.filter(({ name }) => latest.canUse(name)),
      files: [...loaded.files, changesFile(signInFolder(paths))],
    };
  };
  refuseUnknownServers(
    selection,
    config.servers.map(({ name }) => name),
  );
  refusePlugins(config);
  const selected = await read();
  const redactor = createRedactor(config.secrets);
  const log = createLog(settings.logLevel, {
    write: (line) => io.write(redactor.text(line, serverOfLine(line))),
  });
  logConfigProblems(selected, log);
  const closers = createCloserStack();
  try {
    const daemon = { ...config.daemon, ...settings.daemon };
    const access = createManagerAccess({ keys: () => undefined });
    const context = await openManagerContext({
      settings,
      config: selected,
      daemon,
      read,
      log,
      redactor,
      access,
      groups,
    });
    closers.add(async () => await context.kernel.tracer?.close(TRACES_CLOSE_MS));
    closers.add(context.close);
    const endpoints = createMcpEndpoints(context, {
      mode: settings.mcpMode,
      scripts: settings.scripts,
      resultLimit: settings.resultLimit,
    });
    closers.add(endpoints.close);
    const endpoint = endpoints.endpointFor(caller, undefined);
    if (settings.watch) context.reloader.watch();
    context.kernel.lifecycle.ready();
    const served = serveMcpOverStdio<McpClient>(
      (link, client) => openSessionServer(endpoints.parts, link, client),
      {
        stdin: io.stdin,
        stdout: io.stdout,
        signal: io.signal,
        parse: parseLossless,
        client: () => ({ caller, requestId: requestIdFrom(undefined), headers: NO_HEADERS, endpoint }),
      },
    );
    await Promise.race([served, stopped(io.signal, served)]);
  } finally {
    await closers.close();
  }
}

function enterGroup(groups: CallerGroups, caller: ToolCaller, group: string): ToolCaller {
  try {
    return groups.enter(caller, group);
  } catch (error) {
    throw configError(`${messageOf(error)}. Pass a configured group, or omit --group.`);
  }
}

/** Resolves when the process must stop and requests in flight have had time to finish. */
async function stopped(signal: AbortSignal, served: Promise<void>): Promise<void> {
  await new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
  await settlesWithin(STOP_MS, served);
}

/** Plugins inspect the HTTP server's requests; without them, calls would not be checked. */
function refusePlugins({ plugins }: LoadedConfig): void {
  if (plugins.plugins.length === 0) return;
  throw configError(
    'The configuration has plugins, which only `mcp-manager daemon` runs. Start it, or remove the plugins.',
  );
}
