import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Agent } from './agent.ts';

/** An installed program, or the reason why it could not be installed. */
export type Installed = { readonly path: string; readonly version: string } | { readonly reason: string };

/** Maximum time of one installation. */
const INSTALL_MS = 300_000;

/** Installs the latest version of an agent in a subfolder of `folder`, unless it is already installed. */
export async function installAgent(agent: Agent, folder: string): Promise<Installed> {
  if (agent.notRun !== undefined) return { reason: agent.notRun };
  const own = join(folder, `of-${agent.package.replaceAll(/\W+/g, '-')}`);
  const path = join(own, agent.from === 'npm' ? 'node_modules/.bin' : 'bin', agent.bin);
  try {
    if (!existsSync(path)) {
      console.error(`Installing ${agent.package} ...`);
      mkdirSync(own, { recursive: true });
      await (agent.from === 'npm' ? installNpm(agent, own) : installPypi(agent, own));
    }
    const { stdout, stderr } = await execa(path, ['--version'], { timeout: 60_000, env: { HOME: own } });
    return { path, version: /\d+\.\d+[\w.-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? '' };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

async function installNpm({ package: name }: Agent, folder: string): Promise<void> {
  // Some agents complete their installation with a script, which this project's npm settings disable.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['install', '--prefix', folder, '--ignore-scripts=false', ...quiet, name];
  await execa('npm', args, { cwd: folder, timeout: INSTALL_MS });
}

async function installPypi({ package: name }: Agent, folder: string): Promise<void> {
  await execa('python3', ['-m', 'venv', folder]);
  await execa(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', name], { timeout: INSTALL_MS });
}

/** The line in the installer's output that states the cause. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  const lines = (stderr ?? message).split('\n');
  const found = lines.find((line) => /ENOTFOUND|ETARGET|notarget|404|Error:/.test(line)) ?? lines[0] ?? '';
  return found.replace(/^npm (?:error|ERR!) ?(?:npm error )?/, '').slice(0, 120);
}
