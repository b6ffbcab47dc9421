import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { Registry } from 'prom-client';
import { createRequestMemory } from '#serve/kernel.ts';
import { createLifecycle } from '#serve/lifecycle.ts';
import { createLog } from '#serve/log.ts';
import { listenHttp } from '#serve/http/listen.ts';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { createManagerAccess } from '#manager/access/manager-access.ts';
import { createCallerGroups } from '#manager/access/groups.ts';
import type { GroupSpec } from '#manager/config/group-spec.ts';
import type { CallAuditLog } from '#manager/calls/audit.ts';
import { createCalls, type OpenedCalls } from '#manager/calls/calls.ts';
import { createRedactor } from '#serve/redact.ts';
import type { LoadedConfig } from '#manager/config/read-config.ts';
import { createTokenAccess } from '#manager/access/token-access.ts';
import type { ResourceSettings, ServerSpec } from '#manager/config/spec.ts';
import type { ManagerContext } from '#manager/context.ts';
import { openSavedLists } from '#manager/saved-lists/saved-lists.ts';
import type { ConfigPaths } from '#manager/config/config-paths.ts';
import { openIdentitySigner } from '#manager/user-secrets/identity-signer.ts';
import { createSecretLinks } from '#manager/user-secrets/secret-links.ts';
import { openUserSecrets, type UserSecrets } from '#manager/user-secrets/user-secrets.ts';
import { createUserValues } from '#manager/user-secrets/user-values.ts';
import { createUserPages } from '#manager/http/sign-in-page/address.ts';
import { managerApi } from '#manager/http/app.ts';
import { type ManagerMcpOptions, managerMcpRoutes } from '#manager/mcp/routes.ts';
import { createRemoteSignIns } from '#manager/sign-in/remote-sign-ins.ts';
import { openSignIns, type SignInStore } from '#manager/sign-in/sign-in-store.ts';
import { createGuard } from '#manager/scanning/create-guard.ts';
import { guardNotifications } from '#manager/scanning/guard-notifications.ts';
import type { ManagedServer, Supervisor } from '#manager/supervisor/managed-server.ts';
import { systemClock } from '#platform/clock.ts';
import { createManagerReloader } from '#manager/supervisor/reloader.ts';
import { createSupervisor } from '#manager/supervisor/supervisor.ts';
import { openConnection } from '#manager/upstream/open-connection.ts';

export interface Managed {
  readonly context: ManagerContext & { readonly calls: OpenedCalls };
  readonly origin: string;
  /** Sets the configuration for the next reload. */
  readonly configure: (servers: readonly ServerSpec[]) => void;
  /** Connects a new SDK client to a path. */
  readonly connect: (
    path?: string,
    headers?: Record<string, string>,
    capabilities?: ClientCapabilities,
  ) => Promise<Client>;
  readonly server: (name: string) => ManagedServer;
  /** Resolves when the server is running. */
  readonly running: (server: string) => Promise<void>;
  /** Resolves with the next matching line of the server's stderr. */
  readonly nextLogLine: (server: string, fits: RegExp) => Promise<string>;
  /** Ends a client's session, as the client would. */
  readonly endSession: (client: Client) => Promise<void>;
  readonly logged: readonly Record<string, unknown>[];
  readonly close: () => Promise<void>;
}

export interface ManagedOptions extends Partial<ManagerMcpOptions> {
  readonly servers: readonly ServerSpec[];
  readonly groups?: readonly GroupSpec[];
  readonly keys?: readonly KeyRecord[] | (() => readonly KeyRecord[]);
  /** The authorization server whose access tokens are accepted. */
  readonly oauth?: ResourceSettings;
  /** The users' sign-ins to remote servers. */
  readonly signIns?: SignInStore;
  readonly audit?: CallAuditLog;
  /** Files for the key of signed identities. */
  readonly paths?: ConfigPaths;
  /** Secrets of users; none by default. */
  readonly userSecrets?: UserSecrets;
  /** Folder for the lists of lazy servers. Default: they are only kept in memory. */
  readonly savedLists?: string;
}

const NO_FILES = { config: '/no/such/folder/.mcpd.toml', runtime: '/no/such/folder/secrets.toml' };

/** The manager in this process, on a free port, with real servers behind it. */
export async function openManager({
  servers,
  groups = [],
  keys,
  oauth,
  signIns = openSignIns('/no/such/folder', { env: {} }),
  savedLists: folder,
  audit,
  userSecrets: store = openUserSecrets(NO_FILES, {}),
  paths = NO_FILES,
  ...mcpOptions
}: ManagedOptions): Promise<Managed> {
  const logged: Record<string, unknown>[] = [];
  const redact = createRedactor();
  const log = createLog('debug', { write: (line) => void logged.push(JSON.parse(redact.text(line))) });
  const lifecycle = createLifecycle();
  const tokens = oauth && createTokenAccess(oauth);
  const table = createCallerGroups(groups);
  const access = createManagerAccess(
    typeof keys === 'function' ? { keys } : { keys: () => keys },
    Date.now,
    tokens,
    table,
  );
  const identities = openIdentitySigner(paths, {});
  const userSecrets = { store, links: createSecretLinks() };
  const settings = { healthMs: 3000, healthIntervalMs: 10_000 };
  const guard = createGuard({ supervisor: () => supervisor, redact, clock: systemClock });
  const supervisor: Supervisor = createSupervisor({
    open(spec, hooks, signal) {
      const find = (): ManagedServer | undefined => supervisor.get(spec.name);
      const onNotification = guardNotifications(guard, find, hooks.onNotification);
      return openConnection(spec, { ...hooks, onNotification, signIns, identities }, signal);
    },
    settings,
    log,
    redact: redact.text,
    signInState: (target) => signIns.stateOf(target),
    userValues: createUserValues(store, redact.learn),
    servers,
  });
  const { signInPage, secretPage } = createUserPages({ isTls: false, hostRules: { hostname: '127.0.0.1' } });
  const savedLists = folder === undefined ? undefined : openSavedLists(folder, log);
  const calls = createCalls({
    supervisor,
    redact,
    signInPage,
    secretPage: secretPage(userSecrets.links),
    savedLists,
    audit,
    guard,
  });
  const remoteSignIns = createRemoteSignIns(signIns);
  let config = configOf(servers);
  const reloader = createManagerReloader({ config, read: () => Promise.resolve(config), supervisor, log });
  const metrics = new Registry();
  const kernel = { log, metrics, lifecycle, access, requestMemory: createRequestMemory(metrics) };
  const context: Managed['context'] = {
    kernel,
    supervisor,
    calls,
    scans: guard,
    groups: table,
    signIns: remoteSignIns,
    userSecrets,
    identities,
    reloader,
    version: '1.2.3',
    audit,
  };
  const hostname = '127.0.0.1';
  const mcp = managerMcpRoutes(context, { hostname, ...mcpOptions });
  const options = { hostRules: { hostname }, redact, oauth, mcp, plugins: mcpOptions.plugins };
  const { app, direct } = managerApi(context, options);
  const listener = await listenHttp({ app, direct, hostname, port: 0, portFlag: '--addr' });
  const origin = `http://${hostname}:${listener.port}`;
  const clients: Client[] = [];
  const serverOf = (name: string): ManagedServer => {
    const server = supervisor.get(name);
    if (!server) throw new Error(`no server ${name}`);
    return server;
  };
  lifecycle.ready();
  return {
    context,
    origin,
    logged,
    server: serverOf,
    configure: (next) => void (config = configOf(next)),
    async connect(path = '/mcp', headers = {}, capabilities = {}) {
      const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
      const transport = new StreamableHTTPClientTransport(new URL(path, origin), {
        requestInit: { headers },
      });
      await client.connect(transport);
      clients.push(client);
      return client;
    },
    async running(server) {
      await serverOf(server).connection({ timeoutMs: 20_000 });
    },
    nextLogLine(server, fits) {
      const found = Promise.withResolvers<string>();
      const leave = serverOf(server).logs.follow(({ text }) => {
        if (!fits.test(text)) return;
        leave();
        found.resolve(text);
      });
      return found.promise;
    },
    async endSession(client) {
      await (client.transport as StreamableHTTPClientTransport).terminateSession();
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await mcp.close(0);
      await listener.close(0);
      await reloader.close();
      await supervisor.close();
      await calls.close();
      await remoteSignIns.close();
      await tokens?.close();
    },
  };
}

const configOf = (servers: readonly ServerSpec[]): LoadedConfig => ({
  servers,
  sources: [],
  notes: [],
  warnings: [],
  problems: [],
  daemon: {
    addr: '127.0.0.1:0',
    shutdownMs: 5000,
    healthMs: 3000,
    healthIntervalMs: 10_000,
    cors: undefined,
  },
  groups: [],
  plugins: { plugins: [] },
  secrets: [],
  files: [],
});
