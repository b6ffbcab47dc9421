import { lookup } from '#core/values/lookup.ts';
import type { Output } from '#serve/cli/command.ts';
import type { ConfigPaths } from '../../config/config-paths.ts';
import { type ManagerClient, apiPath } from '../manager-client.ts';
import {
  showFindings,
  type Finding,
  ok,
  problemFinding,
  note,
  checkPort,
} from '#serve/cli/doctor/finding.ts';
import { messageOf, AppError } from '#contract/errors.ts';
import { type LoadedConfig, readConfig } from '../../config/read-config.ts';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { findCommandFile, spawnable } from '#platform/command-file.ts';
import type { ProcessLaunch, ServerSpec } from '../../config/spec.ts';
import {
  auditProblems,
  changesText,
  listAge,
  type ManagerStatus,
  type ServerState,
} from '../manager-status.ts';

export interface DiagnoseOptions {
  readonly paths: ConfigPaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly address: URL;
  readonly json: boolean;
}

/** Runs all checks and prints their findings. Resolves with the exit code: 1 if any problem was found. */
export async function diagnose(
  manager: ManagerClient,
  { paths, env, address, json }: DiagnoseOptions,
  output: Output,
): Promise<number> {
  const { config, findings } = await checkConfig(paths, env);
  const [commands, running] = await Promise.all([
    checkCommands(config?.servers ?? []),
    checkManager(manager, address),
  ]);
  return showFindings([...findings, ...commands, ...running], json, output);
}

interface CheckedConfig {
  /** Undefined if the configuration is invalid. */
  readonly config: LoadedConfig | undefined;
  readonly findings: readonly Finding[];
}

/** Checks the configuration files, the values they reference, and the secrets file's permissions. */
async function checkConfig(
  paths: ConfigPaths,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckedConfig> {
  try {
    const config = await readConfig(paths, env, { keepsUnusable: true });
    const count = `${config.servers.length} server${config.servers.length === 1 ? '' : 's'}`;
    const problems = [...config.problems, ...config.warnings].map((text) =>
      problemFinding('configuration', text),
    );
    const notes = config.notes.map((text) => ok('configuration', text));
    return { config, findings: [ok('configuration', `${count} in ${paths.config}`), ...notes, ...problems] };
  } catch (error) {
    return { config: undefined, findings: [problemFinding('configuration', messageOf(error))] };
  }
}

/** Package runners, with the arguments that print their version and how to install them. */
const RUNNERS = lookup<Runner>({
  npx: { args: ['--version'], wayOut: 'Install Node.js, which includes npx.' },
  uvx: { args: ['--version'], wayOut: 'Install uv, which includes uvx: https://docs.astral.sh/uv/' },
  docker: {
    args: ['version', '--format', '{{.Server.Version}}'],
    wayOut: 'Install Docker and start its daemon; `docker version` must list a server.',
  },
});

interface Runner {
  readonly args: readonly string[];
  readonly wayOut: string;
}

const VERSION_TIMEOUT = 10_000;

/** Checks that each server's command exists and that the package runners work. */
async function checkCommands(servers: readonly ServerSpec[]): Promise<Finding[]> {
  const launches = servers.flatMap(({ name, launch }) =>
    launch.kind === 'process' ? [{ name, launch }] : [],
  );
  const commands = launches.flatMap(({ name, launch }) => checkLaunch(name, launch));
  const used = Object.keys(RUNNERS).flatMap((runner) => {
    const user = launches.find(
      ({ launch }) => basename(launch.command) === runner && findCommandFile(launch),
    );
    return user ? [checkRunner(runner, user.launch)] : [];
  });
  return [...commands, ...(await Promise.all(used))];
}

function checkLaunch(name: string, launch: ProcessLaunch): Finding[] {
  const { command, cwd } = launch;
  const what = `server ${name}`;
  if (cwd !== undefined && !existsSync(cwd)) {
    return [problemFinding(what, `working directory ${cwd} does not exist`, 'Create it, or change `cwd`.')];
  }
  const found = findCommandFile(launch);
  if (found !== undefined) return [ok(what, `runs ${found}`)];
  const wayOut = RUNNERS[command]?.wayOut ?? 'Install it, or configure its absolute path.';
  return [problemFinding(what, `command ${JSON.stringify(command)} not found in the server's PATH`, wayOut)];
}

async function checkRunner(name: string, launch: ProcessLaunch): Promise<Finding> {
  const { args = [], wayOut } = RUNNERS[name] ?? {};
  try {
    const { file, args: passed, ...options } = spawnable(launch, args);
    const { stdout } = await promisify(execFile)(file, [...passed], {
      ...options,
      env: launch.env,
      timeout: VERSION_TIMEOUT,
      windowsHide: true,
    });
    return ok(name, `version ${stdout.trim()}`);
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    const [why = ''] = stderr.trim().split('\n');
    return problemFinding(name, `cannot print its version${why === '' ? '' : `: ${why}`}`, wayOut);
  }
}

/** Checks that the manager responds, and the health of its servers. */
async function checkManager(manager: ManagerClient, address: URL): Promise<Finding[]> {
  try {
    const before = await statusOf(manager);
    await listAll(manager, before);
    const status = await statusOf(manager);
    return [
      ok('manager', `version ${status.version} is running at ${manager.origin}`),
      ...auditProblems(status).map((problem) => problemFinding('audit log', problem, AUDIT_REMEDY)),
      ...status.servers.flatMap((server) => [
        checkServer(server),
        ...listFaults(server),
        ...checkPins(server),
        ...checkFindings(server),
      ]),
    ];
  } catch (error) {
    const isDown = error instanceof AppError && error.code === 'UnavailableError';
    return [problemFinding('manager', messageOf(error)), ...(isDown ? [await checkAddress(address)] : [])];
  }
}

const statusOf = async (manager: ManagerClient): Promise<ManagerStatus> =>
  (await manager.get(apiPath('admin', 'status'))) as ManagerStatus;

const AUDIT_REMEDY =
  'Free disk space, or move the log to another disk. `--audit-failure` decides whether calls continue meanwhile.';

const LISTS = [['tools'], ['prompts'], ['resources'], ['resources', 'templates']] as const;

/** Requests all lists, because the manager only detects malformed items then. Stopped servers are not started. */
async function listAll(manager: ManagerClient, { servers }: ManagerStatus): Promise<void> {
  const running = servers.filter(({ phase }) => phase === 'running');
  const paths = running.flatMap(({ name }) => LISTS.map((list) => apiPath('servers', name, ...list)));
  await Promise.allSettled(paths.map((path) => manager.get(path)));
}

const listFaults = ({ name, warnings = [] }: ServerState): Finding[] =>
  warnings.map((warning) =>
    problemFinding(
      `server ${name}`,
      warning,
      "Clients cannot use this item. Report the problem to the server's author.",
    ),
  );

function checkPins({ name, changedTools, changedItems }: ServerState): Finding[] {
  const changes = changesText({ changedTools, changedItems });
  if (changes === '') return [];
  const remedy = `Review them with \`mcp-manager pin --diff ${name}\`, then accept them with \`mcp-manager pin ${name}\`.`;
  return [problemFinding(`server ${name}`, changes, remedy)];
}

/** Possible injections, without those in definitions that a person released. */
function checkFindings({ name: server, findings = [] }: ServerState): Finding[] {
  const open = findings.filter(({ outcome }) => outcome !== 'released');
  return open.map(({ kind, name, rule, outcome }) =>
    problemFinding(
      `server ${server}`,
      `possible injection in the ${[kind, name].filter(Boolean).join(' ')}: ${rule} (${outcome})`,
      `See \`mcp-manager findings ${server}\`.${outcome === 'held' ? ` To release it: \`mcp-manager release ${server} ${name}\`.` : ''}`,
    ),
  );
}

function checkServer({ name, status, phase, reason, reasonLines = [], listsReadAt }: ServerState): Finding {
  const what = `server ${name}`;
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  if (phase === 'idle') {
    const age = listAge(listsReadAt, Date.now());
    return note(what, `is idle and starts on the next call${age === '' ? '' : `; its ${age}`}`);
  }
  if (phase === 'installing') return note(what, `is not running yet${why}`);
  if (status === 'ok') return ok(what, 'is healthy');
  if (phase === 'running' && status === 'unknown') return note(what, 'is running; health not checked yet');
  return problemFinding(
    what,
    [`is ${status} (${phase})${why}`, ...quoted(reason, reasonLines)].join('\n'),
    `See \`mcp-manager logs ${name}\`. To restart it: \`mcp-manager restart ${name}\`.`,
  );
}

/** The lines around the reason; empty if they only repeat the reason. */
const quoted = (reason = '', lines: readonly string[]): string[] =>
  lines.some((line) => !reason.includes(line.trim())) ? lines.map((line) => `    ${line}`) : [];

const checkAddress = async ({ hostname, port, origin }: URL): Promise<Finding> =>
  await checkPort(
    { hostname, port: Number(port) || 80, shown: origin },
    'a manager',
    'Choose another with --port.',
  );
