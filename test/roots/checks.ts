import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from '../helpers/paths.ts';
import { WORDS_OF_IDS } from '../helpers/words-of-ids.ts';
import { fromHub } from './from-hub.ts';
import type { Session } from './session.ts';

export type ProgramName = 'encoderfile' | 'encoder' | 'manager' | 'gateway';

interface Outcome {
  readonly exitCode: number | string;
  /** The output of the program, or the response from the server. */
  readonly output: string;
}

/** A check of a program in a root file system. It succeeds if the program exits with 0 and its output is as expected. */
export interface RootCheck {
  readonly name: string;
  readonly program: ProgramName;
  readonly run: (session: Session) => Promise<Outcome>;
  readonly expected: RegExp;
}

const ENCODER = ['serve', '--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];
const MANAGER = ['-c', '/tmp/.mcpd.toml'];
const GATEWAY = ['--data-dir', '/tmp/data'];

/** The checks run in this order, because later checks use files that earlier ones wrote to /tmp. */
export const ROOT_CHECKS: readonly RootCheck[] = [
  { program: 'encoderfile', name: 'build', run: built, expected: /built\.encoder/ },
  {
    program: 'encoderfile',
    name: 'build hf:',
    run: builtFromHub,
    expected: /pull hf:.*build hf:.*infer.*"label"/s,
  },
  { program: 'encoder', name: 'infer', run: printed('infer', 'I love this'), expected: /POSITIVE/ },
  { program: 'encoder', name: 'verify', run: printed('verify'), expected: /is intact\./ },
  { program: 'encoder', name: 'serve', run: answered(ENCODER, predict), expected: /^200 .*POSITIVE/ },
  { program: 'manager', name: '--version', run: printed('--version'), expected: /\d+\.\d+\.\d+/ },
  { program: 'manager', name: 'init', run: printed('init', ...MANAGER), expected: /Created/ },
  {
    program: 'manager',
    name: 'daemon',
    run: answered(['daemon', ...MANAGER, '--port', '0'], (url) => fetch(`${url}/api/v1/health/servers`)),
    expected: /^200 .*servers/,
  },
  { program: 'gateway', name: 'migrate', run: printed('migrate', ...GATEWAY), expected: /./ },
  {
    program: 'gateway',
    name: 'serve',
    run: answered(['serve', ...GATEWAY, '--port', '0'], (url) => fetch(`${url}/health`)),
    expected: /^200 .*healthy/,
  },
];

/** The single-file build tool, with only the files of a model. */
async function built(session: Session): Promise<Outcome> {
  cpSync(join(FIXTURES, 'models/sentiment'), join(session.temporary, 'model'), { recursive: true });
  const output = ['-o', '/tmp/built.encoder', '--cache-dir', '/tmp/cache'];
  return await printed('build', '-f', '/tmp/model/encoderfile.yml', ...output)(session);
}

/** Downloads a model, builds it from its safetensors and runs it. */
async function builtFromHub(session: Session): Promise<Outcome> {
  const file = (name: string): Buffer => readFileSync(join(FIXTURES, 'architectures/bert-text', name));
  const contents = {
    'config.json': file('config.json'),
    'model.safetensors': file('model.safetensors'),
    'tokenizer.json': JSON.stringify(WORDS_OF_IDS),
  };
  return await fromHub(session, 'acme/tiny', contents, 't7 t21');
}

function printed(...args: string[]): RootCheck['run'] {
  return async (session) => {
    const { exitCode, stdout, stderr } = await session.run(...args);
    return { exitCode, output: `${stdout}${stderr}` };
  };
}

/** A request to a server, and its exit code after SIGTERM. */
function answered(args: readonly string[], request: (url: string) => Promise<Response>): RootCheck['run'] {
  return async (session) => {
    let output = '';
    const exitCode = await session.serve(args, async (url) => {
      const response = await request(url);
      output = `${response.status} ${await response.text()}`;
    });
    return { exitCode, output };
  };
}

async function predict(url: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return await fetch(`${url}/predict`, { method: 'POST', headers, body: '{"inputs": ["I love this"]}' });
}
