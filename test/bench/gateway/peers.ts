import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from '../measure/print.ts';
import { freePort, startUntil } from '../measure/started.ts';
import { PATHS } from '../setup/paths.ts';
import { openConnection, requestTo } from './connection.ts';
import type { Contestant, RunningContestant, Target } from './contestant.ts';
import { installLiteLlm } from './install-litellm.ts';

/** Forwards requests unchanged: it has no keys of its own, and no users, budgets or usage. */
export const portkey: Contestant = {
  name: 'Portkey',
  async start(upstream) {
    const port = await freePort();
    const program = join(PATHS.contestants, 'node_modules/@portkey-ai/gateway/build/start-server.js');
    return await startPeer(process.execPath, [program, `--port=${port}`, '--headless'], {
      port,
      model: (name) => name,
      headers: {
        authorization: 'Bearer sk-bench',
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1`,
      },
    });
  },
};

const MASTER_KEY = 'sk-bench-master';

/** One worker with a master key. LiteLLM's own keys, budgets and usage require a database, and a program that it downloads at run time. */
export const liteLlm: Contestant = {
  name: 'LiteLLM proxy',
  async start(upstream) {
    const program = await installLiteLlm();
    if (program === undefined) return undefined;
    const config = join(PATHS.work, 'litellm.yml');
    const api_base = `http://127.0.0.1:${upstream}/v1`;
    const model_list = ['chat', 'idle'].map((model) => ({
      model_name: model,
      litellm_params: { model: `openai/${model}`, api_base, api_key: 'sk-bench' },
    }));
    await writeFile(config, JSON.stringify({ model_list, general_settings: { master_key: MASTER_KEY } }));
    const port = await freePort();
    const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
    return await startPeer(
      program,
      args,
      { port, model: (name) => name, headers: { authorization: `Bearer ${MASTER_KEY}` } },
      // Otherwise, LiteLLM would download a price list.
      { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    );
  },
};

/**
 * GoModel with a master key and usage rows in SQLite, which it writes later, in groups. It has no budgets. Its program is built from its
 * repository (`ENTERPILOT/GoModel`, `go build ./cmd/gomodel`), and its path is set with `BENCH_GOMODEL`.
 */
export const goModel: Contestant = {
  name: 'GoModel',
  async start(upstream) {
    const program = process.env['BENCH_GOMODEL'];
    if (program === undefined) {
      print('GoModel is left out: BENCH_GOMODEL, the path of its program, is not set.\n');
      return undefined;
    }
    // GoModel reads its settings from its working directory, and caches the list of models there.
    const folder = await mkdtemp(join(tmpdir(), 'bench-gomodel-'));
    const port = await freePort();
    const target = {
      port,
      model: (name: string) => `openai/${name}`,
      headers: { authorization: `Bearer ${MASTER_KEY}` },
    };
    const settings = {
      PORT: String(port),
      GOMODEL_MASTER_KEY: MASTER_KEY,
      OPENAI_API_KEY: 'sk-bench',
      OPENAI_BASE_URL: `http://127.0.0.1:${upstream}/v1`,
      STORAGE_TYPE: 'sqlite',
      SQLITE_PATH: join(folder, 'gomodel.db'),
      USAGE_ENABLED: 'true',
      LOGGING_ENABLED: 'false',
    };
    const { pid, stop } = await startPeer(program, [], target, settings, folder);
    return {
      pid,
      target,
      async stop() {
        await stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

async function startPeer(
  command: string,
  args: readonly string[],
  target: Target,
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<RunningContestant> {
  const ready = async (): Promise<void> => {
    const connection = await openConnection(target);
    await connection.ask(requestTo(target, 'chat')).finally(connection.close);
  };
  const { pid, stop } = await startUntil(command, args, env, ready, { cwd });
  return { pid, target, stop };
}
