import { API_KEYS, type ApiEntry, readApi } from './api-entry.ts';
import { PACKAGE_KEYS, readPackage } from './read-package.ts';
import { nameProblem, serverName } from './server-name.ts';
import { type Package, parsePackage } from './package-launch.ts';
import { OAUTH_KEYS, type OAuthEntry, readOAuth } from './oauth-entry.ts';
import type { ProblemPath } from './problems.ts';
import type { LaunchLimits, NameFilter } from './spec.ts';
import { type TableReader, describeValue, isTable, readTable } from './table-reader.ts';
import {
  type ApprovalRule,
  PIN_ACTIONS,
  type PinAction,
  type ToolOverride,
  APPROVAL_ACTIONS,
  APPROVAL_CONDITIONS,
  DEFAULT_SCAN,
  SCAN_ACTIONS,
  type ScanPolicy,
} from './tool-policy.ts';

/** A server as described in its file: types and keys are validated, placeholders are not expanded yet. */
export interface ServerEntry {
  readonly name: string;
  readonly path: ProblemPath;
  readonly enabled: boolean;
  readonly launch: LaunchEntry;
  readonly tools: NameFilter;
  readonly prompts: NameFilter;
  readonly resources: NameFilter;
  readonly readOnly: boolean;
  readonly lazy: boolean;
  readonly idleMs: number | undefined;
  readonly timeouts: { readonly [Key in 'install' | 'init' | 'request' | 'shutdown']: number | undefined };
  readonly concurrency: number | undefined;
  readonly queue: number | undefined;
  readonly maxInstances: number | undefined;
  readonly required: RequiredValues;
  readonly volumes: Readonly<Record<string, Volume>>;
  readonly limits: LaunchLimits | undefined;
  /** Keyed by the tool's name on the server, in lower case. */
  readonly toolOverrides: Readonly<Record<string, ToolOverride>>;
  readonly approvals: readonly ApprovalRule[];
  readonly extensions: readonly string[] | undefined;
  /** Action for tools that differ from their pins; undefined if not set. */
  readonly onChange: PinAction | undefined;
  /** Undefined if neither key is set. */
  readonly scan: ScanPolicy | undefined;
}

export type LaunchEntry =
  | (ProcessEntry & PackageEntry)
  | (ProcessEntry & { readonly kind: 'command'; readonly command: string })
  | (RemoteEntry & { readonly kind: 'remote' });

interface PackageEntry {
  readonly kind: 'package';
  readonly package: Package;
  /** The package's pinned hash. */
  readonly hash: string | undefined;
}

interface ProcessEntry {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

interface RemoteEntry {
  /** URL of the server or, for an API, path or URL of its OpenAPI document. */
  readonly url: string;
  readonly transport: 'http' | 'sse' | 'openapi';
  /** Settings of an API. */
  readonly api: ApiEntry | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly passHeaders: readonly string[];
  readonly oauth: OAuthEntry | undefined;
  readonly userConnection: (typeof USER_CONNECTIONS)[number] | undefined;
}

/** Values that are required to start a server. */
export interface RequiredValues {
  readonly env: readonly string[];
  readonly positional: readonly string[];
  readonly valued: readonly string[];
  readonly flags: readonly string[];
}

interface Volume {
  readonly path: string;
  readonly required: boolean;
}

const PROCESS_KEYS = ['args', 'env', 'cwd', 'limits'] as const;
const REMOTE_KEYS = ['transport', 'headers', 'pass_headers', 'oauth', 'user_connection'] as const;
/** Whether each user has a connection, or all users share one and only their calls have their headers. */
const USER_CONNECTIONS = ['separate', 'shared'] as const;
const REQUIRED_KEYS = [
  'required_env',
  'required_args',
  'required_args_positional',
  'required_args_bool',
] as const;
const LAUNCH_KEYS = ['package', 'command', 'url', 'openapi'] as const;
/** The launch keys of servers that are not processes. */
const REMOTE_LAUNCH_KEYS: ReadonlySet<unknown> = new Set(['url', 'openapi']);

export const SERVER_KEYS = [
  'name',
  ...LAUNCH_KEYS,
  ...PROCESS_KEYS,
  ...REMOTE_KEYS,
  'api',
  'tools',
  'deny_tools',
  'prompts',
  'deny_prompts',
  'resources',
  'deny_resources',
  'read_only',
  'enabled',
  'lazy',
  'idle_timeout',
  'timeout_install',
  'timeout_init',
  'timeout_request',
  'timeout_shutdown',
  'concurrency',
  'queue',
  'max_instances',
  ...REQUIRED_KEYS,
  'volumes',
  ...PACKAGE_KEYS,
  'tool_overrides',
  'approvals',
  'extensions',
  'on_change',
  'scan',
  'scan_results',
];

/** Parses one `[[servers]]` table. Reports problems; returns undefined if later checks would only repeat them. */
export function readServerEntry(table: TableReader, path: ProblemPath): ServerEntry | undefined {
  const written = table.text('name');
  const launch = readLaunch(table);
  const required = {
    env: table.texts('required_env') ?? [],
    positional: table.texts('required_args_positional') ?? [],
    valued: table.texts('required_args') ?? [],
    flags: table.texts('required_args_bool') ?? [],
  };
  const fields = {
    path,
    enabled: table.flag('enabled') ?? true,
    tools: readTools(table),
    prompts: filter(table.texts('prompts'), table.texts('deny_prompts')),
    resources: filter(table.texts('resources'), table.texts('deny_resources')),
    readOnly: table.flag('read_only') ?? false,
    lazy: table.flag('lazy') ?? false,
    idleMs: table.milliseconds('idle_timeout'),
    timeouts: {
      install: table.milliseconds('timeout_install'),
      init: table.milliseconds('timeout_init'),
      request: table.milliseconds('timeout_request'),
      shutdown: table.milliseconds('timeout_shutdown'),
    },
    concurrency: table.count('concurrency', 1),
    queue: table.count('queue', 0),
    maxInstances: table.count('max_instances', 1),
    required,
    volumes: readVolumes(table, launch),
    limits: readLimits(table.table('limits', LIMIT_KEYS)),
    toolOverrides: readToolOverrides(table.table('tool_overrides')),
    approvals: readApprovals(table),
    extensions: readExtensions(table),
    onChange: table.choice('on_change', PIN_ACTIONS),
    scan: readScan(table),
  };
  if (written === undefined) {
    if (!table.mentions('name')) table.report('name is missing. Add one, e.g. name = "time".');
    return undefined;
  }
  const problem = nameProblem(written);
  if (problem !== undefined) table.report(problem, 'name');
  return launch && problem === undefined ? { name: serverName(written), launch, ...fields } : undefined;
}

function readLaunch(table: TableReader): LaunchEntry | undefined {
  const launchKeys = LAUNCH_KEYS.filter((key) => table.mentions(key));
  const process = {
    args: table.texts('args') ?? [],
    env: table.record('env') ?? {},
    cwd: table.text('cwd'),
  };
  const remote = {
    transport: table.choice('transport', ['http', 'sse']) ?? 'http',
    headers: table.record('headers') ?? {},
    passHeaders: readPassHeaders(table),
    oauth: readOAuth(table.table('oauth', OAUTH_KEYS)),
    userConnection: table.choice('user_connection', USER_CONNECTIONS),
  } as const;
  const api = readApi(table.table('api', API_KEYS));
  const values = {
    package: table.text('package'),
    command: table.text('command'),
    url: table.text('url'),
    openapi: table.text('openapi'),
  };
  if (launchKeys.length !== 1) {
    const found = launchKeys.length === 0 ? 'it has none of them' : `it has ${launchKeys.join(' and ')}`;
    table.report(
      `a server requires exactly one of package, command, url and openapi; ${found}.`,
      launchKeys[1],
    );
    return undefined;
  }
  const isRemote = REMOTE_LAUNCH_KEYS.has(launchKeys[0]);
  for (const key of ['api', 'transport'] as const) {
    const needed = key === 'api' ? 'openapi' : 'url';
    if (isRemote && launchKeys[0] !== needed && table.keys().includes(key))
      table.report(`${key} conflicts with ${launchKeys[0]}; it requires ${needed}.`, key);
  }
  if (launchKeys[0] !== 'package') {
    for (const key of PACKAGE_KEYS) {
      if (table.keys().includes(key)) table.report(`${key} requires package.`, key);
    }
  }
  for (const key of isRemote ? PROCESS_KEYS : [...REMOTE_KEYS, 'api']) {
    if (table.keys().includes(key))
      table.report(
        `${key} conflicts with ${launchKeys[0]}; it requires ${isRemote ? 'package or command' : key === 'api' ? 'openapi' : 'url'}.`,
        key,
      );
  }
  if (values.url !== undefined) return { kind: 'remote', url: values.url, api: undefined, ...remote };
  if (values.openapi !== undefined)
    return { kind: 'remote', ...remote, url: values.openapi, transport: 'openapi', api };
  if (values.command !== undefined) return { kind: 'command', command: values.command, ...process };
  if (values.package === undefined) return undefined;
  const found = parsePackage(values.package);
  if (typeof found !== 'string') {
    return { kind: 'package', ...readPackage(table, found), ...process };
  }
  table.report(found, 'package');
  return undefined;
}

/**
 * Headers that connections set themselves, and credentials for the manager: the MCP specification forbids
 * forwarding a token for the manager to another server.
 */
const OWN_HEADERS =
  /^(?:authorization|proxy-.*|cookie|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept|content-.*|mcp-.*|last-event-id|traceparent|tracestate)$/;

function readPassHeaders(table: TableReader): string[] {
  const names = (table.texts('pass_headers') ?? []).map((name) => name.trim().toLowerCase());
  for (const name of names) {
    const isName = /^[\w!#$%&'*+.^`|~-]+$/.test(name);
    if (isName && !OWN_HEADERS.test(name)) continue;
    table.report(
      `pass_headers cannot contain ${JSON.stringify(name)}: ${isName ? 'it belongs to the connection between the client and the manager' : 'it is not a valid header name'}. Remove it.`,
      'pass_headers',
    );
  }
  return names;
}

/** Without `scan_results`, `scan` applies to results as well. */
function readScan(table: TableReader): ScanPolicy | undefined {
  const definitions = table.choice('scan', SCAN_ACTIONS);
  const results = table.choice('scan_results', SCAN_ACTIONS) ?? definitions;
  if (results === undefined) return undefined;
  return {
    definitions: definitions ?? DEFAULT_SCAN.definitions,
    results,
  };
}

function readTools(table: TableReader): NameFilter {
  const allow = table.texts('tools');
  // Callers must not be able to use tools that are not in the list, so a missing list must not
  // allow all tools.
  if (!table.mentions('tools')) {
    table.report('tools is missing. List the allowed tools, or allow all with tools = ["*"].');
  }
  return filter(allow, table.texts('deny_tools'));
}

const filter = (allow: readonly string[] = ['*'], deny: readonly string[] = []): NameFilter => ({
  allow,
  deny,
});

function readVolumes(table: TableReader, launch: LaunchEntry | undefined): Record<string, Volume> {
  const volumes = table.table('volumes');
  if (volumes && launch && !(launch.kind === 'package' && launch.package.runtime === 'docker')) {
    table.report('volumes require a docker package. For other servers, pass the folder in args.', 'volumes');
  }
  const entries = (volumes?.keys() ?? []).flatMap((name) => {
    const volume = volumes?.table(name, ['path', 'required']);
    const path = volume?.text('path');
    const required = volume?.flag('required') ?? false;
    if (volume && path === undefined && !volume.mentions('path'))
      volume.report('path is missing. Set the folder inside the container, e.g. path = "/workspace".');
    return path === undefined ? [] : [[name, { path, required }] as const];
  });
  return Object.fromEntries(entries);
}

/** Keys of `[servers.limits]`. */
const LIMIT_KEYS = ['memory', 'cpus', 'processes', 'required'] as const;

/** Parses `[servers.limits]`: what a server and its descendant processes can use in total. */
function readLimits(table: TableReader | undefined): LaunchLimits | undefined {
  if (!table) return undefined;
  return {
    memory: table.bytes('memory'),
    cpus: table.amount('cpus'),
    processes: table.count('processes', 1),
    required: table.flag('required') ?? false,
  };
}

/** The name of a protocol extension: a prefix in the form of a host name, and a name. */
const EXTENSION_NAME = /^[a-z\d][\w-]*(?:\.[\w-]+)*\/[\w.-]+$/i;

function readExtensions(table: TableReader): readonly string[] | undefined {
  const names = table.texts('extensions');
  const invalid = names?.find((name) => !EXTENSION_NAME.test(name));
  if (invalid === undefined) return names;
  table.report(
    `extensions must contain names such as io.modelcontextprotocol/ui, not ${JSON.stringify(invalid)}.`,
    'extensions',
  );
  return undefined;
}

const KEYS = ['tools', 'when', 'action'];

/** Parses a server's `approvals`: rules for calls to its tools. */
function readApprovals(server: TableReader): ApprovalRule[] {
  const rules = readTables({
    value: server.any('approvals'),
    report: (message, key) => server.report(message, key),
    key: 'approvals',
    known: KEYS,
  });
  return rules.flatMap((rule) => {
    const action = rule.choice('action', APPROVAL_ACTIONS);
    const tools = rule.texts('tools') ?? ['*'];
    const when = rule.choice('when', APPROVAL_CONDITIONS);
    if (action !== undefined) return [{ tools, when, action }];
    if (!rule.mentions('action')) rule.report(`action is missing. Use ${APPROVAL_ACTIONS.join(', ')}.`);
    return [];
  });
}

interface TableList {
  readonly value: unknown;
  readonly report: TableReader['report'];
  /** The list's key. */
  readonly key: string;
  readonly known: readonly string[];
}

/** Parses a list of tables inside a table. Reports a value of another type. */
function readTables({ value, report, key, known }: TableList): TableReader[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(`${key} must be a list of tables, not ${describeValue(value)}.`, key);
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const label = `${key} ${index + 1}`;
    if (isTable(item)) {
      const reportItem = (_path: unknown, message: string): void => report(message, key);
      return [readTable(item, { path: [], label, report: reportItem }, known)];
    }
    report(`${label} must be a table, not ${describeValue(item)}.`, key);
    return [];
  });
}

const OVERRIDE_KEYS = ['rename', 'description', 'annotations', 'hidden'];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Names that all clients and language models accept. */
const CLIENT_NAME = /^[\w.-]{1,64}$/;

/** Parses `[servers.tool_overrides.NAME]`: tool overrides by the tool's name on the server, in lower case. */
function readToolOverrides(table: TableReader | undefined): Record<string, ToolOverride> {
  const byNewName = new Map<string, string>();
  const overrides = (table?.keys() ?? []).flatMap((name): [string, ToolOverride][] => {
    const tool = table?.table(name, OVERRIDE_KEYS);
    if (!tool) return [];
    const rename = readRename(tool);
    const other = rename === undefined ? undefined : byNewName.get(rename.toLowerCase());
    if (rename !== undefined && other !== undefined) {
      tool.report(
        `rename ${JSON.stringify(rename)} is also the name of ${other}. Choose another name.`,
        'rename',
      );
    }
    if (rename !== undefined) byNewName.set(rename.toLowerCase(), name);
    const override = {
      rename,
      description: tool.text('description'),
      annotations: readAnnotations(tool.table('annotations', ['title', ...HINTS])),
      hidden: tool.flag('hidden') ?? false,
    };
    return [[name.toLowerCase(), override]];
  });
  return Object.fromEntries(overrides);
}

function readRename(tool: TableReader): string | undefined {
  const rename = tool.text('rename');
  if (rename === undefined || CLIENT_NAME.test(rename)) return rename;
  tool.report(
    `rename must consist of at most 64 letters, digits, "_", "-" and ".", not ${JSON.stringify(rename)}. Change it.`,
    'rename',
  );
  return undefined;
}

function readAnnotations(table: TableReader | undefined): ToolOverride['annotations'] {
  if (!table) return {};
  const values = [
    ['title', table.text('title')] as const,
    ...HINTS.map((hint) => [hint, table.flag(hint)] as const),
  ];
  return Object.fromEntries(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
