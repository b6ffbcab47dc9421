import { actingSettings } from './acting-settings.ts';
import { dirname } from 'node:path';
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
import type { ItemPins } from './tool-policy.ts';
import { MANAGER_DEFAULTS } from './defaults.ts';
import { createExpander } from './expander.ts';
import type { ServerResolveContext } from './resolve-context.ts';
import { apiUrl, resolveApi } from './resolve-api.ts';
import { resolveProcess } from './resolve-process.ts';
import { mergeRecords, refuseSecrets, type ServerSources } from './server-sources.ts';
import { clientKeyProblem } from './client-key.ts';
import { isLoopbackUrl } from './is-loopback-url.ts';
import type { OAuthEntry, OAuthKey } from './oauth-entry.ts';
import { maskUrl } from './mask-values.ts';
import { hasReferences, referencesIn, showReferences } from './user-references.ts';

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
    folder: dirname(sources.servers.path),
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
    warnings: [...config.warnings, ...pinWarnings(config, pins, sources.servers.path)],
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
 * Returns a server's pins. With `on_change` but no pins, all of its items count as new: if the pins file is lost,
 * `on_change = "block"` still blocks them.
 */
function pinsOf({ name, onChange }: ServerEntry, { servers }: PinsFile): ItemPins | undefined {
  const pinned = servers.get(name);
  if (!pinned && onChange === undefined) return undefined;
  const { scope, lists } = pinned ?? { scope: 'complete', lists: {} };
  const hashes = Object.entries(lists).map(([list, items]) => [
    list,
    Object.fromEntries(Object.entries(items).map(([item, { hash }]) => [item, hash])),
  ]);
  return { onChange: onChange ?? 'block', scope, hashes: Object.fromEntries(hashes) };
}

/** Warns about servers with `on_change` but no pins, and about pins of earlier versions. */
const pinWarnings = ({ entries, locate }: ConfigFile, { servers }: PinsFile, file: string): string[] =>
  entries
    .filter(({ enabled }) => enabled)
    .flatMap(({ name, onChange, path }) => {
      const quoted = JSON.stringify(name);
      const pinned = servers.get(name);
      if (pinned?.scope === 'basic') {
        const message = `the pins of server ${quoted} are from an earlier version and only cover titles, descriptions, schemas and annotations of tools. Run \`mcp-manager pin ${name}\` to also pin all other members, prompts and resources.`;
        return [describeProblem({ file, line: locate(path), message })];
      }
      if (pinned || onChange === undefined) return [];
      const message = `server ${quoted} has no pinned tools, so all of its tools and prompts count as new. Run \`mcp-manager pin ${name}\`.`;
      return [describeProblem({ file, line: locate([...path, 'on_change']), message })];
    });

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
  if (entry.maxInstances !== undefined && !isPerUser({ launch: resolved })) {
    context.report(
      [...entry.path, 'max_instances'],
      `server ${JSON.stringify(name)}: max_instances requires values of users in env, args or headers, e.g. \${user.secret.TOKEN}, or sign_in = "per_user". Add one, or remove max_instances.`,
    );
  }
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
    scan: entry.scan,
    ...(isPerUser({ launch: resolved }) && {
      maxInstances: entry.maxInstances ?? MANAGER_DEFAULTS.maxInstances[resolved.kind],
    }),
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
  const api = launch.api && resolveApi(launch.url, launch.api, sources, context);
  refuseSecrets(api ? ['url'] : ['credentials'], sources, context, api ? 'url' : 'openapi');
  const isSecret = secrets.url !== undefined && !api;
  const url = api
    ? apiUrl(api)
    : isSecret
      ? expandSecret.text('url', secrets.url)
      : expandEntry.text('url', launch.url);
  const problem = api ? undefined : urlProblem(url, isSecret ? undefined : launch.url);
  if (problem && url !== '') {
    const report = isSecret ? context.reportSecrets : context.report;
    report([...(isSecret ? secrets : entry).path, 'url'], `${label}: url ${problem}.`);
  }
  redactUrl(entry.name, url, context);
  const headers = mergeRecords('headers', launch.headers, sources, context);
  for (const [name, value] of Object.entries(headers)) {
    const isValid =
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7E\x80-\xFF]*$/.test(showReferences(value));
    const isInSecrets = Object.hasOwn(secrets.headers, name);
    const report = isInSecrets ? context.reportSecrets : context.report;
    if (!isValid)
      report(
        [...(isInSecrets ? secrets : entry).path, 'headers', name],
        `${label}: invalid header ${JSON.stringify(name)}. Names must consist of letters, digits and dashes, and values of one line.`,
      );
  }
  const oauth = resolveOAuth(launch.oauth, sources, context);
  if (oauth && api && api.baseUrl === undefined) {
    context.report([...entry.path, 'oauth'], `${label}: oauth requires api.base_url, the URL of the API.`);
  }
  if (oauth?.grant === 'authorization_code' && api && oauth.issuer === undefined) {
    context.report(
      [...entry.path, 'oauth'],
      `${label}: oauth.issuer is missing. An API does not name its authorization server.`,
    );
  }
  const { transport } = launch;
  // A client must not override a header that the configuration sets.
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const passHeaders = launch.passHeaders.filter((name) => !own.has(name));
  return {
    kind: 'remote',
    transport,
    url,
    ...(api && { api }),
    ...userHeaders(launch, headers, sources, context),
    ...(passHeaders.length > 0 && { passHeaders }),
    ...(oauth && { oauth }),
  };
}

/** Returns the headers, of which those with users' values are only sent with calls if users share the connection. */
function userHeaders(
  { userConnection }: RemoteEntry,
  headers: Readonly<Record<string, string>>,
  { entry }: ServerSources,
  { report }: ServerResolveContext,
): Pick<RemoteLaunch, 'headers' | 'userValues' | 'callHeaders'> {
  const userValues = referencesIn(Object.values(headers));
  if (userValues.length === 0) {
    if (userConnection !== undefined)
      report(
        [...entry.path, 'user_connection'],
        `server ${JSON.stringify(entry.name)}: user_connection requires headers with \${user.…}. Add one, or remove user_connection.`,
      );
    return { headers };
  }
  if (userConnection !== 'shared') return { headers, userValues };
  const split = Object.groupBy(Object.entries(headers), ([, value]) => String(hasReferences(value)));
  return {
    headers: Object.fromEntries(split['false'] ?? []),
    callHeaders: Object.fromEntries(split['true'] ?? []),
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

const GRANTS = [
  'authorization_code',
  'client_credentials',
  'token_exchange',
  'cross_app_access',
  'signed_identity',
] as const;
const SIGN_INS = ['shared', 'per_user'] as const;
/** Client authentication methods, of which at most one can be set. */
const CREDENTIALS = ['client_secret', 'private_key'] as const;
/** Keys that apply to some grant types only. */
const ONLY_FOR = {
  token_url: ['client_credentials', 'token_exchange'],
  client_metadata_url: ['authorization_code'],
  redirect_uri: ['authorization_code'],
  sign_in: ['authorization_code'],
  audience: ['token_exchange', 'signed_identity'],
  identity_provider: ['cross_app_access'],
  identity_client_id: ['cross_app_access'],
  identity_client_secret: ['cross_app_access'],
  identity_token: ['cross_app_access'],
} satisfies Readonly<Record<string, readonly (typeof GRANTS)[number][]>>;

/** Keys that a grant type requires. */
const REQUIRED_FOR: Readonly<Record<(typeof GRANTS)[number], readonly OAuthKey[]>> = {
  authorization_code: [],
  client_credentials: ['client_id'],
  token_exchange: ['client_id'],
  cross_app_access: ['client_id', 'identity_provider', 'identity_client_id'],
  signed_identity: ['issuer'],
};

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
  for (const key of [...CREDENTIALS, 'identity_client_secret'] as const)
    redactions.add(value[key] ?? '', [key], entry.name);

  const authenticates = CREDENTIALS.some((key) => written[key] !== undefined);
  const grant = value['grant'] ?? GRANTS[authenticates ? 1 : 0];
  const isKnown = (text: string): text is (typeof GRANTS)[number] => GRANTS.some((name) => name === text);
  if (!isKnown(grant)) complain(`: grant must be one of ${GRANTS.join(', ')}, not ${JSON.stringify(grant)}.`);
  const required: OAuthKey[] = isKnown(grant) ? [...REQUIRED_FOR[grant]] : [];
  if (authenticates && !required.includes('client_id')) required.push('client_id');
  if (grant === 'token_exchange' && written['token_url'] === undefined) required.push('issuer');
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
    if (value[key] !== undefined && !only.some((name) => name === grant))
      complain(`: ${key} requires grant = ${only.map((name) => `"${name}"`).join(' or ')}.`);
  }
  for (const key of ['token_url', 'issuer', 'client_metadata_url', 'identity_provider'] as const) {
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
  const acting = actingSettings(grant, value, common, complain);
  if (acting) return acting;
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
