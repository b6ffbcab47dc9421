import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import type { ProcessLaunch, ServerSpec } from '../../config/spec.ts';
import { findCommand } from './find-command.ts';
import { type Finding, ok, problem } from '#serve/cli/doctor/finding.ts';

/** Programs that run packages of servers: the arguments that print their version, and how to install them. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  npx: { args: ['--version'], wayOut: 'Install Node.js, which includes npx.' },
  uvx: { args: ['--version'], wayOut: 'Install uv, which includes uvx: https://docs.astral.sh/uv/' },
  docker: {
    args: ['version', '--format', '{{.Server.Version}}'],
    wayOut: 'Install Docker and start its daemon; `docker version` must list a server.',
  },
};

interface Runner {
  readonly args: readonly string[];
  readonly wayOut: string;
}

const VERSION_TIMEOUT = 10_000;

/** Checks that the command of each server exists, and that the runners of packages work. */
export async function checkCommands(servers: readonly ServerSpec[]): Promise<Finding[]> {
  const launches = servers.flatMap(({ name, launch }) =>
    launch.kind === 'process' ? [{ name, launch }] : [],
  );
  const commands = launches.flatMap(({ name, launch }) => checkLaunch(name, launch));
  const used = Object.keys(RUNNERS).flatMap((runner) => {
    const user = launches.find(({ launch }) => basename(launch.command) === runner && findCommand(launch));
    return user ? [checkRunner(runner, user.launch)] : [];
  });
  return [...commands, ...(await Promise.all(used))];
}

function checkLaunch(name: string, launch: ProcessLaunch): Finding[] {
  const { command, cwd } = launch;
  const what = `server ${name}`;
  if (cwd !== undefined && !existsSync(cwd)) {
    return [problem(what, `working directory ${cwd} does not exist`, 'Create it, or change `cwd`.')];
  }
  const found = findCommand(launch);
  if (found !== undefined) return [ok(what, `runs ${found}`)];
  const wayOut = RUNNERS[command]?.wayOut ?? 'Install it, or configure its absolute path.';
  return [problem(what, `command ${JSON.stringify(command)} not found in the PATH of the server`, wayOut)];
}

async function checkRunner(name: string, { command, env }: ProcessLaunch): Promise<Finding> {
  const { args = [], wayOut } = RUNNERS[name] ?? {};
  try {
    const { stdout } = await promisify(execFile)(command, [...args], { env, timeout: VERSION_TIMEOUT });
    return ok(name, `version ${stdout.trim()}`);
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    const [why = ''] = stderr.trim().split('\n');
    return problem(name, `cannot print its version${why === '' ? '' : `: ${why}`}`, wayOut);
  }
}
