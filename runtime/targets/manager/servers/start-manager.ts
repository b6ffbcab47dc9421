import { dirname } from 'node:path';
import { createRedactions, type Secret } from '#core/text/redactions.ts';
import { backgroundClock, systemClock } from '#platform/clock.ts';
import { formatAddress } from '#serve/bind.ts';
import { type HttpListener, listenHttp } from '#serve/http/listen.ts';
import { createLog } from '#serve/log.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import { isLoopbackHost } from '#serve/http/request-head.ts';
import { assertSafeToListen } from '#serve/program/listen-policy.ts';
import { SCAN_CLASSIFIER_KEY } from '../config/scan-classifier.ts';
import { SEARCH_ENCODER_KEY } from '../config/search-encoder.ts';
import { createCallerGroups } from '../access/groups.ts';
import { keysPath } from '../config/config-paths.ts';
import { watchEndedKeys } from '../access/ended-keys.ts';
import { endUser } from './end-user.ts';
import { createManagerAccess, watchedKeys } from '../access/manager-access.ts';
import { logConfigProblems } from '#serve/program/reloader.ts';
import { createShutdown } from '#serve/program/shutdown.ts';
import type { TracingSettings } from '#serve/telemetry/tracing-settings.ts';
import { createRedactor } from '#serve/redact.ts';
import { splitAddress } from '../config/address.ts';
import { type LoadedConfig, readConfig } from '../config/read-config.ts';
import type { ManagerContext } from '../context.ts';
import { managerApi } from '../http/app.ts';
import { createUserPages } from '../http/sign-in-page/address.ts';
import { problemWithoutPath } from '../http/problem.ts';
import { managerMcpRoutes } from '../mcp/routes.ts';
import { startPlugins } from '../plugins/plugins.ts';
import { changesFile, signInFolder } from '../sign-in/sign-in-folder.ts';
import { openManagerContext } from './open-context.ts';
import type { FlagSettings } from './settings.ts';
import { type Selection, serverOfPattern } from '../access/selection.ts';
import { unknownServer } from '../config-edit/named-index.ts';

export interface RunningManager {
  /** The URL that the manager listens on. */
  readonly url: string;
  readonly context: ManagerContext;
  /** Reopens the audit log after log rotation. */
  readonly reopenAudit: () => void;
  /** Finishes accepted requests, rejects new ones, then stops all servers. */
  readonly stop: () => Promise<void>;
}

/** Headers for the OpenTelemetry collector. They can contain a token. */
function headerSecrets(tracing: TracingSettings | undefined): readonly Secret[] {
  const secrets = createRedactions();
  for (const [name, value] of Object.entries(tracing?.headers ?? {})) secrets.add(value, [name]);
  return secrets.all();
}

/** Client secret for token introspection at the issuer. It is not in the file, because `[daemon]` is not secret. */
const INTROSPECTION_SECRET = 'MCP_MANAGER_INTROSPECTION_SECRET';

function variableSecrets(env: FlagSettings['env'], name: string): readonly Secret[] {
  const secrets = createRedactions();
  secrets.add(env[name] ?? '', [name]);
  return secrets.all();
}

/** Starts the manager on the network. The API is available even if servers fail. `write` receives log lines. */
export async function startManager(
  settings: FlagSettings,
  write: (line: string) => void,
): Promise<RunningManager> {
  const { paths, env, tls } = settings;
  const read = async (): Promise<LoadedConfig> => {
    const loaded = await readConfig(paths, env, { timeouts: settings.timeouts, keepsUnusable: true });
    const files = [...loaded.files, changesFile(signInFolder(paths))];
    return {
      ...loaded,
      files,
      problems: loaded.problems.map((problem) => `${problem} The server is not started.`),
    };
  };
  const config = await read();
  const daemon = { ...config.daemon, ...settings.daemon };
  const { hostname, port } = { ...splitAddress(daemon.addr), ...settings.listen };
  const redactor = createRedactor([
    ...config.secrets,
    ...headerSecrets(settings.tracing),
    ...variableSecrets(env, INTROSPECTION_SECRET),
    ...variableSecrets(env, SEARCH_ENCODER_KEY),
    ...variableSecrets(env, SCAN_CLASSIFIER_KEY),
  ]);
  const log = createLog(settings.logLevel, {
    write: (line) => write(redactor.text(line, serverOfLine(line))),
  });
  logConfigProblems(config, log);
  for (const warning of settings.tracingWarnings) log.warn(warning);
  const keysFile = keysPath(settings.keysFile, paths);
  const keys = watchedKeys(keysFile, { log });
  // Imported on demand, because few managers have an authorization server.
  const introspectionSecret = env[INTROSPECTION_SECRET] || undefined;
  const tokens =
    daemon.oauth &&
    (await import('../access/token-access.ts')).createTokenAccess(daemon.oauth, { introspectionSecret });
  const groups = createCallerGroups(config.groups);
  const access = createManagerAccess(keys, Date.now, tokens, groups);
  assertSafeToListen({
    hostname,
    insecure: settings.insecure,
    credential: {
      name: 'an API key',
      isSet: access.hasKeys(),
      remedy: 'Create one with `mcp-manager keys create --name <name>`',
    },
  });

  const closers = createCloserStack();
  if (tokens) closers.add(() => tokens.close());
  try {
    const plugins = await startPlugins(config.plugins, { baseFolder: dirname(paths.config), env, log });
    closers.add(() => plugins.close());
    const { maxBodyBytes, metrics, allowedHosts, trustProxy } = settings;
    const hostRules = {
      hostname,
      allowedHosts,
      anyName: () =>
        allowedHosts.length === 0 && !isLoopbackHost(hostname) && (access.hasKeys() || tls !== undefined),
    };
    const pages = createUserPages({
      publicUrl: daemon.oauth?.resource,
      isTls: tls !== undefined,
      trustProxy,
      hostRules,
    });
    const contextParts = { settings, config, daemon, read, log, redactor, access, groups, ...pages };
    const context = await openManagerContext(contextParts);
    const shutdown = createShutdown({
      program: 'manager',
      lifecycle: context.kernel.lifecycle,
      closers,
      clock: systemClock,
      delayMs: settings.shutdownDelayMs,
      drainMs: daemon.shutdownMs,
    });
    closers.add(async () => await context.kernel.tracer?.close(shutdown.graceMs()));
    closers.add(() => context.close());
    const mcp = managerMcpRoutes(context, {
      ...hostRules,
      allowedOrigins: daemon.cors?.origins,
      maxBodyBytes,
      mode: settings.mcpMode,
      clientModes: settings.clientModes,
      plugins,
      scripts: settings.scripts,
      resultLimit: settings.resultLimit,
    });
    const stopWatching = watchEndedKeys(keys, backgroundClock, (ended) => void endUser(context, mcp, ended));
    closers.add(() => Promise.resolve(stopWatching()));
    const appOptions = {
      hostRules,
      cors: daemon.cors,
      maxBodyBytes,
      metrics,
      trustProxy,
      redact: redactor,
      plugins,
      oauth: daemon.oauth,
      mcp,
      files: {
        paths,
        keys: keysFile,
        auditLog: settings.auditLog,
        signIns: context.signInStore,
        packages: context.packages,
        readServers: async () =>
          (
            await readConfig(paths, env, {
              timeouts: settings.timeouts,
              keepsUnusable: true,
              readsPins: false,
            })
          ).servers,
      },
    };
    const { app, direct } = managerApi(context, appOptions);
    const { lifecycle } = context.kernel;
    const listen = { hostname, port, portFlag: '--port', tls, refuse: problemWithoutPath, lifecycle };
    const http: HttpListener = await listenHttp({ app, direct, ...listen });
    closers.add(() => http.close(shutdown.graceMs()));
    // MCP sessions close before the listener, because their streams stay open until then.
    closers.add(() => mcp.close());
    if (settings.watch) context.reloader.watch();
    context.kernel.lifecycle.ready();
    return {
      url: `${tls ? 'https' : 'http'}://${formatAddress(hostname, http.port)}`,
      context,
      reopenAudit: context.reopenAudit,
      stop: shutdown.run,
    };
  } catch (error) {
    await closers.abandon();
    throw error;
  }
}

/** Prefix of a log line about a server. Server text only appears in later members, so it cannot imitate this. */
const SERVER = /^\{"level":\d+,"time":"[^"]*","server":"([^"\\]*)"/;

/** Returns the name of the server that a manager log line is about. */
export const serverOfLine = (line: string): string | undefined => SERVER.exec(line)?.[1];

/** Rejects unknown server names, because such a client would silently have no tools. */
export function refuseUnknownServers({ servers, tools }: Selection, known: readonly string[]): void {
  const names = [...servers, ...tools.map(serverOfPattern)];
  const unknown = names.find((name) => !name.includes('*') && !known.includes(name.toLowerCase()));
  if (unknown !== undefined) throw unknownServer(unknown, known);
}
