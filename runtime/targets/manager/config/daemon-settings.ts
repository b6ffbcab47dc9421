import { parseAddress } from './address.ts';
import { corsSettings } from './cors.ts';
import { DEFAULTS } from './defaults.ts';
import { readResource, RESOURCE_KEYS } from './resource-settings.ts';
import type { CorsSettings, DaemonSettings, ServerTimeouts } from './spec.ts';
import type { TableReader } from './table-reader.ts';

/** `[daemon]`: the settings of the manager, and the default timeouts of servers. */
export interface DaemonSection {
  readonly settings: DaemonSettings;
  readonly timeouts: ServerTimeouts;
}

/** Every key of `[daemon]` by its table; also the list that `config daemon` prints. */
export const DAEMON_KEYS = {
  '': ['api', 'mcp'],
  api: ['addr', 'timeout', 'cors', 'oauth'],
  'api.timeout': ['shutdown'],
  'api.cors': [
    'enable',
    'allow_origins',
    'allow_methods',
    'allow_headers',
    'expose_headers',
    'allow_credentials',
    'max_age',
  ],
  'api.oauth': RESOURCE_KEYS,
  'api.oauth.scopes': [],
  mcp: ['timeout', 'interval'],
  'mcp.timeout': ['install', 'init', 'health', 'shutdown', 'request'],
  'mcp.interval': ['health'],
} as const;

export function readDaemon(daemon: TableReader | undefined): DaemonSection {
  const api = daemon?.table('api', DAEMON_KEYS.api);
  const mcp = daemon?.table('mcp', DAEMON_KEYS.mcp);
  const timeout = mcp?.table('timeout', DAEMON_KEYS['mcp.timeout']);
  const apiTimeout = api?.table('timeout', DAEMON_KEYS['api.timeout']);
  const interval = mcp?.table('interval', DAEMON_KEYS['mcp.interval']);
  return {
    settings: {
      addr: readAddr(api),
      shutdownMs: apiTimeout?.milliseconds('shutdown') ?? DEFAULTS.apiShutdown,
      healthMs: timeout?.milliseconds('health') ?? DEFAULTS.health,
      healthIntervalMs: interval?.milliseconds('health') ?? DEFAULTS.healthInterval,
      cors: readCors(api?.table('cors', DAEMON_KEYS['api.cors'])),
      oauth: readResource(api?.table('oauth', RESOURCE_KEYS)),
    },
    timeouts: {
      install: timeout?.milliseconds('install') ?? DEFAULTS.install,
      init: timeout?.milliseconds('init') ?? DEFAULTS.init,
      request: timeout?.milliseconds('request') ?? DEFAULTS.request,
      shutdown: timeout?.milliseconds('shutdown') ?? DEFAULTS.shutdown,
    },
  };
}

function readAddr(api: TableReader | undefined): string {
  const addr = api?.text('addr');
  if (addr === undefined) return DEFAULTS.addr;
  const address = parseAddress(addr);
  if (address === undefined) {
    api?.report(`addr must be <host>:<port>, e.g. "127.0.0.1:8090", not ${JSON.stringify(addr)}.`, 'addr');
  }
  return address ?? DEFAULTS.addr;
}

function readCors(cors: TableReader | undefined): CorsSettings | undefined {
  if (!cors) return undefined;
  const origins = cors.texts('allow_origins') ?? [];
  const settings = corsSettings({
    origins,
    methods: cors.texts('allow_methods'),
    headers: cors.texts('allow_headers'),
    exposedHeaders: cors.texts('expose_headers'),
    credentials: cors.flag('allow_credentials'),
    maxAgeMs: cors.milliseconds('max_age'),
  });
  if (!cors.flag('enable')) return undefined;
  if (origins.length === 0) {
    cors.report('enable requires allow_origins, e.g. ["https://app.example"].', 'enable');
  }
  return settings;
}
