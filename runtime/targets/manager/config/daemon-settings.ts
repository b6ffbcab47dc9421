import { parseAddress } from './address.ts';
import { corsSettings } from './cors.ts';
import { parseScanClassifier, type ScanClassifierSetting } from './scan-classifier.ts';
import { parseSearchEncoder, SEARCH_ENCODER_RULE, type SearchEncoderSetting } from './search-encoder.ts';
import { MANAGER_DEFAULTS } from './defaults.ts';
import type {
  CorsSettings,
  DaemonSettings,
  ServerTimeouts,
  IntrospectionSettings,
  ResourceSettings,
} from './spec.ts';
import type { TableReader } from './table-reader.ts';
import { SIGNATURE_ALGORITHMS } from '#serve/oauth/jwks.ts';
import { isLoopbackHost } from '#serve/http/request-head.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** The keys of `[daemon.api.oauth]`. */
const RESOURCE_KEYS = [
  'issuer',
  'resource',
  'audiences',
  'jwks_uri',
  'algorithms',
  'user_claim',
  'admin_scope',
  'mode_claim',
  'scopes',
  'introspection_client_id',
  'introspection_url',
] as const;

/**
 * Parses `[daemon.api.oauth]`, which specifies the access tokens that the manager accepts as a
 * protected resource.
 */
function readResource(table: TableReader | undefined): ResourceSettings | undefined {
  if (!table) return undefined;
  const [issuer, resource] = [readUrl(table, 'issuer'), readUrl(table, 'resource')];
  const jwksUri = table.text('jwks_uri') === undefined ? undefined : readUrl(table, 'jwks_uri');
  const algorithms = table.texts('algorithms') ?? SIGNATURE_ALGORITHMS;
  const unknown = algorithms.filter((name) => !SIGNATURE_ALGORITHMS.some((known) => known === name));
  if (unknown.length > 0 || algorithms.length === 0) {
    table.report(`algorithms must only contain ${SIGNATURE_ALGORITHMS.join(', ')}.`, 'algorithms');
  }
  const introspection = readIntrospection(table);
  const modeClaim = table.text('mode_claim');
  const scopes = table.table('scopes');
  return {
    issuer: issuer ?? '',
    resource: trimEndOf(resource ?? '', '/'),
    audiences: table.texts('audiences') ?? [],
    jwksUri,
    algorithms,
    userClaim: table.text('user_claim') ?? 'sub',
    adminScope: table.text('admin_scope'),
    ...(modeClaim !== undefined && { modeClaim }),
    ...(introspection && { introspection }),
    scopes: scopes && new Map(scopes.keys().map((name) => [name, scopes.texts(name) ?? []])),
  };
}

function readIntrospection(table: TableReader): IntrospectionSettings | undefined {
  const url = table.text('introspection_url') === undefined ? undefined : readUrl(table, 'introspection_url');
  const clientId = table.text('introspection_client_id');
  if (clientId !== undefined) return { clientId, url };
  if (url !== undefined) {
    table.report('introspection_url requires introspection_client_id.', 'introspection_url');
  }
  return undefined;
}

/** Parses a URL. Keys fetched over plain HTTP could be replaced in transit, so HTTP is only allowed on this machine. */
function readUrl(
  table: TableReader,
  key: 'issuer' | 'resource' | 'jwks_uri' | 'introspection_url',
): string | undefined {
  const text = table.text(key);
  if (text === undefined) {
    if (!table.mentions(key)) table.report(`${key} is missing. Set it to an https:// URL.`);
    return undefined;
  }
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (isSafe && url?.hash === '' && url.search === '') return text;
  const rule = 'must be an https:// URL without a query, or an http:// URL on this machine';
  table.report(`${key} ${rule}, not ${JSON.stringify(text)}.`, key);
  return undefined;
}

/** `[daemon]`: the manager's settings, and the servers' default timeouts. */
export interface DaemonSection {
  readonly settings: DaemonSettings;
  readonly timeouts: ServerTimeouts;
}

/** All `[daemon]` keys by table; `config daemon` prints this list. */
export const DAEMON_KEYS = {
  '': ['api', 'mcp', 'search', 'scan'],
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
  search: ['encoder'],
  scan: ['classifier', 'labels', 'threshold'],
} as const;

/** Paths are relative to `folder`, the configuration file's folder. */
export function readDaemon(daemon: TableReader | undefined, folder: string): DaemonSection {
  const api = daemon?.table('api', DAEMON_KEYS.api);
  const mcp = daemon?.table('mcp', DAEMON_KEYS.mcp);
  const timeout = mcp?.table('timeout', DAEMON_KEYS['mcp.timeout']);
  const apiTimeout = api?.table('timeout', DAEMON_KEYS['api.timeout']);
  const interval = mcp?.table('interval', DAEMON_KEYS['mcp.interval']);
  return {
    settings: {
      addr: readAddr(api),
      shutdownMs: apiTimeout?.milliseconds('shutdown') ?? MANAGER_DEFAULTS.apiShutdown,
      healthMs: timeout?.milliseconds('health') ?? MANAGER_DEFAULTS.health,
      healthIntervalMs: interval?.milliseconds('health') ?? MANAGER_DEFAULTS.healthInterval,
      cors: readCors(api?.table('cors', DAEMON_KEYS['api.cors'])),
      oauth: readResource(api?.table('oauth', RESOURCE_KEYS)),
      searchEncoder: readEncoder(daemon?.table('search', DAEMON_KEYS.search), folder),
      scanClassifier: readClassifier(daemon?.table('scan', DAEMON_KEYS.scan), folder),
    },
    timeouts: {
      install: timeout?.milliseconds('install') ?? MANAGER_DEFAULTS.install,
      init: timeout?.milliseconds('init') ?? MANAGER_DEFAULTS.init,
      request: timeout?.milliseconds('request') ?? MANAGER_DEFAULTS.request,
      shutdown: timeout?.milliseconds('shutdown') ?? MANAGER_DEFAULTS.shutdown,
    },
  };
}

function readEncoder(search: TableReader | undefined, folder: string): SearchEncoderSetting | undefined {
  const value = search?.text('encoder');
  if (value === undefined) return undefined;
  const setting = parseSearchEncoder(value, folder);
  if (!setting) search?.report(`encoder ${SEARCH_ENCODER_RULE}, not ${JSON.stringify(value)}.`, 'encoder');
  return setting;
}

function readClassifier(scan: TableReader | undefined, folder: string): ScanClassifierSetting | undefined {
  const value = scan?.text('classifier');
  const labels = scan?.texts('labels')?.map((label) => label.toLowerCase());
  const threshold = scan?.amount('threshold');
  if (value === undefined) {
    for (const key of ['labels', 'threshold']) {
      if (scan?.mentions(key)) scan.report(`${key} requires classifier.`, key);
    }
    return undefined;
  }
  if (threshold !== undefined && threshold > 1) {
    scan?.report(`threshold must be at most 1, not ${threshold}.`, 'threshold');
  }
  const setting = parseScanClassifier(value, folder);
  if (!setting)
    scan?.report(`classifier ${SEARCH_ENCODER_RULE}, not ${JSON.stringify(value)}.`, 'classifier');
  return setting && { ...setting, labels, threshold };
}

function readAddr(api: TableReader | undefined): string {
  const addr = api?.text('addr');
  if (addr === undefined) return MANAGER_DEFAULTS.addr;
  const address = parseAddress(addr);
  if (address === undefined) {
    api?.report(`addr must be <host>:<port>, e.g. "127.0.0.1:8090", not ${JSON.stringify(addr)}.`, 'addr');
  }
  return address ?? MANAGER_DEFAULTS.addr;
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
