import { suggest } from '#core/text/suggest.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { readPinsFile, type PinsFile } from './pins-file.ts';
import type { Environment } from '#core/text/expand.ts';
import type { TextFile } from './parse-toml.ts';
import { describeProblem, type Problem, problemsError, type Report } from './problems.ts';
import { createRedactions } from '#core/text/redactions.ts';
import { noSecrets, readSecretsFile, type SecretsFile, type SecretsEntry } from './secrets-file.ts';
import type { ServerEntry, LaunchEntry } from './server-entry.ts';
import {
  type ManagerConfig,
  type ServerSpec,
  type ServerTimeouts,
  type RemoteLaunch,
  type ClientKey,
  type OAuthSettings,
  isPerUser,
} from './spec.ts';
import type { ToolPins } from './tool-policy.ts';
import { MANAGER_DEFAULTS } from './defaults.ts';
import { createExpander } from './expander.ts';
import type { ServerResolveContext } from './resolve-context.ts';
import { resolveProcess } from './resolve-process.ts';
import { mergeRecords, refuseSecrets, type ServerSources } from './server-sources.ts';
import { clientKeyProblem } from './client-key.ts';
import { isLoopbackUrl } from './is-loopback-url.ts';
import type { OAuthEntry, OAuthKey } from './oauth-entry.ts';
import { maskUrl } from './mask-values.ts';

/** The file contents to resolve a configuration from. */
export interface ConfigSources {
  readonly servers: TextFile;
  readonly secrets: TextFile | undefined;
  /** The pinned tools. */
  readonly pins?: TextFile | undefined;
  readonly env: Environment;
  readonly platform: string;
  /** Timeouts from the command line. They override `[daemon]`, and a server's own timeouts override them. */
  readonly timeouts?: Partial<ServerTimeouts> | undefined;
  /**
   * Whether servers with invalid values are kept and marked unusable. Otherwise, they make the configuration
   * invalid.
   */
  readonly keepsUnusable?: boolean | undefined;
}

export interface ResolvedConfig extends Omit<ManagerConfig, 'files'> {
  readonly warnings: readonly string[];
  /** Observations that are normal in some setups but can indicate a mistake in others. */
  readonly notes: readonly string[];
  /** Problems of unusable servers. */
  readonly problems: readonly string[];
}

/** Validates and resolves a configuration; throws one ConfigError with all problems. Pure. */
export function resolveManagerConfig(sources: ConfigSources): ResolvedConfig {
  const config = readConfigFile(sources.servers);
  const secrets = readSecretsFile(sources.secrets);
  const pins = readPinsFile(sources.pins);
  const fileProblems = [...config.problems, ...secrets.problems, ...pins.problems];
  const serverProblems: Problem[] = [];
  const redactions = createRedactions();
  const reporter =
    (file: string, { locate }: Pick<ConfigFile | SecretsFile, 'locate'>): Report =>
    (path, message) => {
      serverProblems.push({ file, line: locate(path), message });
    };
  const context = {
    env: sources.env,
    platform: sources.platform,
    timeouts: { ...config.daemon.timeouts, ...sources.timeouts },
    redactions,
    containsSecrets: config.containsSecrets,
    pins: (entry: ServerEntry) => pinsOf(entry, pins),
    report: reporter(sources.servers.path, config),
    reportSecrets: reporter(sources.secrets?.path ?? sources.servers.path, secrets),
  };
  const servers = config.entries
    .filter(({ enabled }) => enabled)
    .map((entry) => {
      const before = serverProblems.length;
      const spec = resolveServer(entry, secrets.servers.get(entry.name) ?? noSecrets(entry.name), context);
      return markUnusable(spec, serverProblems.slice(before));
    });
  const isFirst = ({ file }: Problem): number => (file === sources.servers.path ? 0 : 1);
  if (fileProblems.length > 0 || (serverProblems.length > 0 && sources.keepsUnusable !== true)) {
    const all = [...fileProblems, ...serverProblems];
    throw problemsError(all.toSorted((a, b) => isFirst(a) - isFirst(b)));
  }
  return {
    servers,
    daemon: config.daemon.settings,
    groups: config.groups,
    plugins: config.plugins,
    secrets: redactions.all(),
    problems: serverProblems.map(describeProblem),
    notes: unknownServerNotes(config, secrets, sources.secrets?.path ?? ''),
    warnings: [...config.warnings, ...unpinnedWarnings(config, pins, sources.servers.path)],
  };
}

/** Replaces the launch of a server that has problems with a description of them. */
function markUnusable(spec: ServerSpec, problems: readonly Problem[]): ServerSpec {
  if (problems.length === 0) return spec;
  const prefix = `server ${JSON.stringify(spec.name)}: `;
  const sentences = new Set(problems.map(({ message }) => message.replace(prefix, '')));
  const problem = [...sentences].join(' ');
  const { launch } = spec;
  const installable = launch.kind === 'process' && launch.installation ? { package: launch } : {};
  return { ...spec, launch: { kind: 'unusable', problem, ...installable } };
}

/** Maximum number of names listed in a note. */
const MAX_NAMES = 5;

/**
 * One note about secrets file values for unknown servers. The names may be misspelled, but usually belong to
 * other projects, because all of a user's projects share the file.
 */
function unknownServerNotes(config: ConfigFile, secrets: SecretsFile, file: string): string[] {
  const unknown = [...secrets.servers.keys()].filter((name) => !config.names.includes(name));
  const [first] = unknown;
  if (first === undefined) return [];
  const quote = (name: string): string => JSON.stringify(name);
  const similar = unknown.flatMap((name) => {
    const suggestion = suggest(name, config.names);
    return suggestion === undefined ? [] : [` Did you mean ${quote(suggestion)} instead of ${quote(name)}?`];
  });
  const more = unknown.length > MAX_NAMES ? ` and ${unknown.length - MAX_NAMES} more` : '';
  const message = `these servers have values here, but are not configured: ${unknown.slice(0, MAX_NAMES).map(quote).join(', ')}${more}.${similar[0] ?? ''}`;
  const line = secrets.locate(secrets.servers.get(first)?.path ?? []);
  return [describeProblem({ file, line, message })];
}

/**
 * Returns a server's pinned tools. With `on_change` but no pins, all of its tools count as new: if the pins
 * file is lost, `on_change = "block"` still blocks them.
 */
function pinsOf({ name, onChange }: ServerEntry, { servers }: PinsFile): ToolPins | undefined {
  const pinned = servers.get(name);
  if (!pinned && onChange === undefined) return undefined;
  const hashes = Object.entries(pinned ?? {}).map(([tool, { hash }]) => [tool, hash]);
  return { onChange: onChange ?? 'block', hashes: Object.fromEntries(hashes) };
}

/** Warns about servers with `on_change` but no pinned tools. */
const unpinnedWarnings = ({ entries, locate }: ConfigFile, { servers }: PinsFile, file: string): string[] =>
  entries
    .filter(({ name, onChange, enabled }) => enabled && onChange !== undefined && !servers.has(name))
    .map(({ name, path }) =>
      describeProblem({
        file,
        line: locate([...path, 'on_change']),
        message: `server ${JSON.stringify(name)} has no pinned tools, so all of its tools count as new. Run \`mcp-manager pin ${name}\`.`,
      }),
    );

/** Resolves a server: expands variables and adds defaults. If problems are reported, the result must not be started. */
function resolveServer(entry: ServerEntry, secrets: SecretsEntry, context: ServerResolveContext): ServerSpec {
  const { name, launch, timeouts } = entry;
  const common = {
    server: name,
    env: context.env,
    platform: context.platform,
    redactions: context.redactions,
  };
  const sources = {
    entry,
    secrets,
    expandEntry: createExpander({ ...common, path: entry.path, report: context.report }),
    expandSecret: createExpander({ ...common, path: secrets.path, report: context.reportSecrets }),
  };
  const resolved =
    launch.kind === 'remote'
      ? resolveRemote(launch, sources, context)
      : resolveProcess(launch, sources, context);
  return {
    name,
    launch: resolved,
    tools: entry.tools,
    prompts: entry.prompts,
    resources: entry.resources,
    readOnly: entry.readOnly,
    // A user's connection opens with the user's first call.
    lazy: entry.lazy || isPerUser({ launch: resolved }),
    idleMs: entry.idleMs ?? MANAGER_DEFAULTS.idle,
    timeouts: {
      install: timeouts.install ?? context.timeouts.install,
      init: timeouts.init ?? context.timeouts.init,
      request: timeouts.request ?? context.timeouts.request,
      shutdown: timeouts.shutdown ?? context.timeouts.shutdown,
    },
    concurrency: entry.concurrency ?? MANAGER_DEFAULTS.concurrency,
    queue: entry.queue ?? MANAGER_DEFAULTS.queue,
    toolOverrides: entry.toolOverrides,
    approvals: entry.approvals,
    extensions: entry.extensions,
    pins: context.pins(entry),
  };
}

type RemoteEntry = Extract<LaunchEntry, { readonly kind: 'remote' }>;

function resolveRemote(
  launch: RemoteEntry,
  sources: ServerSources,
  context: ServerResolveContext,
): RemoteLaunch {
  const { entry, secrets, expandEntry, expandSecret } = sources;
  const label = `server ${JSON.stringify(entry.name)}`;
  refuseSecrets(['args', 'env', 'volumes'], sources, context);
  const isSecret = secrets.url !== undefined;
  const url = isSecret ? expandSecret.text('url', secrets.url) : expandEntry.text('url', launch.url);
  const problem = urlProblem(url, isSecret ? undefined : launch.url);
  if (problem && url !== '') {
    const report = isSecret ? context.reportSecrets : context.report;
    report([...(isSecret ? secrets : entry).path, 'url'], `${label}: url ${problem}.`);
  }
  redactUrl(entry.name, url, context);
  const headers = mergeRecords('headers', launch.headers, sources, context);
  for (const [name, value] of Object.entries(headers)) {
    const isValid = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7E\x80-\xFF]*$/.test(value);
    const isInSecrets = Object.hasOwn(secrets.headers, name);
    const report = isInSecrets ? context.reportSecrets : context.report;
    if (!isValid)
      report(
        [...(isInSecrets ? secrets : entry).path, 'headers', name],
        `${label}: invalid header ${JSON.stringify(name)}. Names must consist of letters, digits and dashes, and values of one line.`,
      );
  }
  const oauth = resolveOAuth(launch.oauth, sources, context);
  const { transport } = launch;
  // A client must not override a header that the configuration sets.
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const passHeaders = launch.passHeaders.filter((name) => !own.has(name));
  return {
    kind: 'remote',
    transport,
    url,
    headers,
    ...(passHeaders.length > 0 && { passHeaders }),
    ...(oauth && { oauth }),
  };
}

/** Adds the password and query parameters of a URL to the redacted values. */
function redactUrl(server: string, text: string, { redactions }: ServerResolveContext): void {
  const url = URL.parse(text);
  if (!url) return;
  for (const [name, value] of [['password', url.password] as const, ...url.searchParams]) {
    redactions.add(value, [name], server);
  }
}

const GRANTS = ['authorization_code', 'client_credentials'] as const;
const SIGN_INS = ['shared', 'per_user'] as const;
/** Client authentication methods, of which at most one can be set. */
const CREDENTIALS = ['client_secret', 'private_key'] as const;
/** Keys that apply to a single grant type. */
const ONLY_FOR = {
  token_url: 'client_credentials',
  client_metadata_url: 'authorization_code',
  redirect_uri: 'authorization_code',
  sign_in: 'authorization_code',
} as const;

/** Resolves `[servers.oauth]` from both files. A client with a secret or a key gets tokens without user interaction. */
function resolveOAuth(
  entered: OAuthEntry | undefined,
  { entry, secrets, expandEntry, expandSecret }: ServerSources,
  { report, redactions }: ServerResolveContext,
): OAuthSettings | undefined {
  const written = { ...entered, ...secrets.oauth };
  if (Object.keys(written).length === 0) return undefined;
  const value = {
    ...expandEntry.record('oauth', { ...entered }),
    ...expandSecret.record('oauth', { ...secrets.oauth }),
  };
  const complain = (message: string): void =>
    report([...entry.path, 'oauth'], `server ${JSON.stringify(entry.name)}: oauth${message}`);
  for (const key of CREDENTIALS) redactions.add(value[key] ?? '', [key], entry.name);

  const authenticates = CREDENTIALS.some((key) => written[key] !== undefined);
  const grant = value['grant'] ?? GRANTS[authenticates ? 1 : 0];
  const isKnown = (text: string): text is (typeof GRANTS)[number] => GRANTS.some((name) => name === text);
  if (!isKnown(grant)) complain(`: grant must be ${GRANTS.join(' or ')}, not ${JSON.stringify(grant)}.`);
  const required: OAuthKey[] = authenticates || grant === 'client_credentials' ? ['client_id'] : [];
  if (grant === 'client_credentials' && !authenticates) required.push('client_secret');
  for (const key of required.filter((key) => !written[key]))
    complain(` requires ${key}. Set it here or in the secrets file.`);
  if (CREDENTIALS.every((key) => written[key] !== undefined))
    complain(`: ${CREDENTIALS.join(' and ')} conflict with each other. Remove one of them.`);
  const privateKey = readPrivateKey(value, complain);
  const signIn = value['sign_in'] ?? SIGN_INS[0];
  if (!SIGN_INS.some((name) => name === signIn))
    complain(`: sign_in must be ${SIGN_INS.join(' or ')}, not ${JSON.stringify(signIn)}.`);
  for (const [key, only] of Object.entries(ONLY_FOR)) {
    if (value[key] !== undefined && grant !== only) complain(`: ${key} requires grant = "${only}".`);
  }
  for (const key of ['token_url', 'issuer', 'client_metadata_url'] as const) {
    const shown = secrets.oauth?.[key] === undefined ? entered?.[key] : undefined;
    const problem = value[key] === undefined ? undefined : urlProblem(value[key], shown);
    if (problem) complain(`: ${key} ${problem}.`);
  }
  const redirectUri = value['redirect_uri'];
  if (redirectUri !== undefined && !isLoopbackUrl(redirectUri)) {
    complain(`: redirect_uri must be a loopback URL with a port, e.g. "http://127.0.0.1:8976/callback".`);
  }
  const [clientId, clientSecret] = [value['client_id'], value['client_secret']];
  const common = { scope: value['scope'], issuer: value['issuer'], privateKey };
  if (grant === 'client_credentials') {
    const client = { clientId: clientId ?? '', clientSecret };
    return defined<OAuthSettings>({ grant, ...client, ...common, tokenUrl: value['token_url'] });
  }
  const clientMetadataUrl = value['client_metadata_url'];
  return defined<OAuthSettings>({
    grant: 'authorization_code',
    clientId,
    clientSecret,
    ...common,
    clientMetadataUrl,
    redirectUri,
    perUser: signIn === 'per_user' ? true : undefined,
  });
}

/** Parses the client's private key from the text itself. */
function readPrivateKey(
  { private_key: key, private_key_id: id }: Partial<Record<string, string>>,
  complain: (message: string) => void,
): ClientKey | undefined {
  if (key === undefined) {
    if (id !== undefined) complain(': private_key_id requires private_key.');
    return undefined;
  }
  const problem = clientKeyProblem(key);
  // The key is a secret, so the message does not contain it.
  if (problem !== undefined) complain(`: private_key ${problem}.`);
  return defined<ClientKey>({ key, id });
}

const defined = <Settings extends object>(settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Settings;

/** Explains why a URL is invalid. `written` is the text in the servers file; a secret URL has none and is not shown. */
function urlProblem(text: string, written: string | undefined): string | undefined {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return undefined;
  const shown = written === undefined ? '' : `, not ${JSON.stringify(maskUrl(written))}`;
  return `must start with http:// or https:// and contain a host, e.g. "https://mcp.example/mcp"${shown}`;
}
