import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { Agent, AgentRun, ProviderName } from './agent.ts';
import { endDaemons } from './end-daemons.ts';
import { type AgentGateway, PROVIDERS } from './start-gateway.ts';

/** Maximum time of one command. */
const RUN_MS = 120_000;

/** A server whose tool the gateway runs, without the agent's knowledge. */
export interface GatewayTools {
  readonly label: string;
  /** The file with a line for each call. */
  readonly log: string;
}

/** The price of each model in dollars per million tokens. */
const PRICE = { input: 10, output: 30 } as const;

const modelOf = ({ name }: Agent): string =>
  `gemini-3-${name.toLowerCase().replaceAll(/\W+/g, '-').replace(/-$/, '')}`;

/** The price of the model of each agent, for the configuration file. */
export const pricesOf = (agents: readonly Agent[]): object => {
  const price = { input_price_per_million: PRICE.input, output_price_per_million: PRICE.output };
  return Object.fromEntries(
    agents.flatMap((agent) => PROVIDERS.map((provider) => [`${provider}:${modelOf(agent)}`, price])),
  );
};

const costOf = ({ prompt, completion }: { readonly prompt: number; readonly completion: number }): number =>
  (prompt * PRICE.input + completion * PRICE.output) / 1e6;

/** How often the model calls the gateway's tool: alone, together with the agent's tools, and alone. An agent without tools is called once. */
const sealsOf = ({ name }: Agent): number => (name === 'aider' ? 1 : 3);

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
  { url, createKey, usageOf, accountOf, providerBook }: AgentGateway,
  tools: GatewayTools | undefined,
): Promise<RunResult> {
  const home = mkdtempSync(join(tmpdir(), 'agent-home-'));
  const model = modelOf(agent);
  const user = `${model}-${provider}`;
  const work = join(home, 'work');
  const file = join(work, 'notes.txt');
  const stamps = join(home, 'stamps.txt');
  try {
    mkdirSync(work);
    writeFileSync(file, 'The colour is red.\n');
    const key = await createKey(user, tools && { tools: [tools.label] });
    const prompt = `Read ${file}, replace "colour" by "color" in it, and stamp the notes with the tool stamp.`;
    const mcp = [process.execPath, join(import.meta.dirname, 'mcp-server.mjs'), stamps] as const;
    const before = await providerBook(model);
    const sealsBefore = tools ? countLines(tools.log) : 0;
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
    const account = await accountOf(user);
    const seals = tools ? countLines(tools.log) - sealsBefore : 0;
    const refused = after.refused.slice(before.refused.length);
    const counted = {
      answers: after.answers - before.answers,
      prompt: after.prompt - before.prompt,
      completion: after.completion - before.completion,
    };
    const problems = [
      ...(readFileSync(file, 'utf8').includes('The color is red.') ? [] : ['not edited']),
      ...(!agent.hasMcp || countLines(stamps) > 0
        ? []
        : [`MCP tool not used, of the tools ${after.tools.join(', ')}`]),
      ...(!tools || (seals === sealsOf(agent) && countLines(stamps) <= 1)
        ? []
        : [`${seals} calls of the gateway's tool, ${countLines(stamps)} of the agent's`]),
      ...(after.repeated === before.repeated ? [] : ['the model has repeated calls']),
      ...refused.map((message) => `rejected by the provider: ${message}`),
      ...(JSON.stringify(usage) === JSON.stringify(counted)
        ? []
        : [`books ${JSON.stringify(usage)}, provider ${JSON.stringify(counted)}`]),
      ...(account.reserved === 0 && Math.abs(account.spend - costOf(counted)) < 1e-9
        ? []
        : [`account ${JSON.stringify(account)}, cost ${costOf(counted)}`]),
    ];
    const signatures =
      provider === 'gemini' ? `, signatures: ${after.signed} own, ${after.foreign} stand-ins` : '';
    return {
      problems,
      output,
      note: `${counted.answers} answers, ${counted.prompt + counted.completion} tokens${tools ? `, ${seals} calls by the gateway` : ''}${signatures}`,
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

function countLines(path: string): number {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}
