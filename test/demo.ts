import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { execa, execaSync } from 'execa';
import { ROOT } from './helpers/paths.ts';

// `npm run demo`: the main workflow from start to end; every command is shown as a user would type it.

const folder = join(ROOT, 'node_modules', '.cache', 'encoderfile-demo');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

function show(shown: string, file: string, args: readonly string[]): void {
  console.log(`\n$ ${shown}`);
  execaSync(file, args, { cwd: folder, stdio: 'inherit' });
}

const cli = join(ROOT, 'cli', 'bin.ts');
for (const model of ['sentiment', 'ner', 'embedder']) {
  const config = join(ROOT, 'fixtures', 'models', model, 'encoderfile.yml');
  show(`npx encoderfile build -f fixtures/models/${model}/encoderfile.yml`, process.execPath, [
    cli,
    'build',
    '-f',
    config,
  ]);
}
const infer = (model: string, ...args: string[]): void =>
  show(
    `./${model}.encoder infer ${args.map((arg) => (arg.startsWith('--') ? arg : `"${arg}"`)).join(' ')}`,
    `./${model}.encoder`,
    ['infer', ...args],
  );

/** Serves a model on a free port, sends one request and stops it. */
async function serve(): Promise<void> {
  console.log('\n$ ./sentiment.encoder serve --http-port 0 --disable-grpc --log-level warn &');
  const args = ['serve', '--http-port', '0', '--disable-grpc', '--log-level', 'warn'];
  const server = execa('./sentiment.encoder', args, { cwd: folder, stdio: ['ignore', 'inherit', 'pipe'] });
  const [banner] = (await once(server.stderr, 'data')) as [Buffer];
  process.stderr.write(banner);
  const [, port = ''] = /HTTP +http:\/\/[^ \n]+:(\d+)/.exec(banner.toString()) ?? [];
  const body = '{"inputs": ["I love this"]}';
  console.log(`$ curl localhost:${port}/predict -H 'content-type: application/json' -d '${body}'`);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/predict`, { method: 'POST', headers, body });
  console.log(await answer.text());
  server.kill('SIGTERM');
  await server;
}

infer('sentiment', 'I love this', 'this is awful');
infer('ner', 'Anna Smith works at Acme Corporation in Paris .');
infer('embedder', 'some text', '--normalize=true');
await serve();
show('./sentiment.encoder inspect', './sentiment.encoder', ['inspect']);
console.log(`\nThe executables are in ${folder}. Each is one file: copy it anywhere and run it.`);
