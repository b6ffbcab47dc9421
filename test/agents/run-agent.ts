import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { Agent, AgentRun, ProviderName } from './agent.ts';
import { endDaemons } from './end-daemons.ts';
import type { AgentGateway } from './start-gateway.ts';

/** Maximum time of one command. */
const RUN_MS = 120_000;

export interface RunResult {
  readonly problems: readonly string[];
  readonly note: string;
  /** The output of the agent. */
  readonly output: string;
}

/** Runs the task once, in a fresh home folder. */
export async function runAgent(
  agent: Agent,
  path: string,
  provider: ProviderName,
  { url, createKey, usageOf, providerBook }: AgentGateway,
): Promise<RunResult> {
  const home = mkdtempSync(join(tmpdir(), 'agent-home-'));
  const model = `gemini-3-${agent.name.toLowerCase().replaceAll(/\W+/g, '-').replace(/-$/, '')}`;
  const user = `${model}-${provider}`;
  const work = join(home, 'work');
  const file = join(work, 'notes.txt');
  const stamps = join(home, 'stamps.txt');
  try {
    mkdirSync(work);
    writeFileSync(file, 'The colour is red.\n');
    const key = await createKey(user);
    const prompt = `Read ${file}, replace "colour" by "color" in it, and stamp the notes with the tool stamp.`;
    const mcp = [process.execPath, join(import.meta.dirname, 'mcp-server.mjs'), stamps] as const;
    const before = await providerBook(model);
    const output = await runCommands(agent, path, home, {
      url,
      key,
      model: `${provider}:${model}`,
      prompt,
      file,
      mcp: [...mcp],
    });
    const after = await providerBook(model);
    const usage = await usageOf(user);
    const refused = after.refused.slice(before.refused.length);
    const counted = {
      answers: after.answers - before.answers,
      prompt: after.prompt - before.prompt,
      completion: after.completion - before.completion,
    };
    const problems = [
      ...(readFileSync(file, 'utf8').includes('The color is red.') ? [] : ['not edited']),
      ...(!agent.hasMcp || textIn(stamps).startsWith('stamped\n')
        ? []
        : [`MCP tool not used, of the tools ${after.tools.join(', ')}`]),
      ...refused.map((message) => `rejected by the provider: ${message}`),
      ...(JSON.stringify(usage) === JSON.stringify(counted)
        ? []
        : [`books ${JSON.stringify(usage)}, provider ${JSON.stringify(counted)}`]),
    ];
    const signatures =
      provider === 'gemini' ? `, signatures: ${after.signed} own, ${after.foreign} stand-ins` : '';
    return {
      problems,
      output,
      note: `${counted.answers} answers, ${counted.prompt + counted.completion} tokens${signatures}`,
    };
  } finally {
    if (process.platform === 'linux') endDaemons(home);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runCommands(agent: Agent, path: string, home: string, run: AgentRun): Promise<string> {
  const { files = {}, env = {}, commands } = agent.start(run);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), String(text));
  }
  const outputs: string[] = [];
  for (const args of commands) {
    const { all } = await execa(
      path,
      args.map((arg) => arg.replace('$HOME', home)),
      {
        cwd: dirname(run.file),
        extendEnv: false,
        env: {
          PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
          // Keeps only the user's installations: the rest of the home folder is new.
          ...(process.env['PYENV_ROOT'] !== undefined && { PYENV_ROOT: process.env['PYENV_ROOT'] }),
          LANG: 'C.UTF-8',
          ...env,
          HOME: home,
        },
        stdin: 'ignore',
        all: true,
        reject: false,
        timeout: RUN_MS,
      },
    );
    outputs.push(all);
  }
  return outputs.join('\n');
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
