import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { ROOT } from './helpers/paths.ts';

// `npm run demo`: the main job from start to end, with every command it runs shown as a user would type it.

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

infer('sentiment', 'I love this', 'this is awful');
infer('ner', 'Anna Smith works at Acme Corporation in Paris .');
infer('embedder', 'some text', '--normalize=true');
show('./sentiment.encoder inspect', './sentiment.encoder', ['inspect']);
console.log(`\nThe executables are in ${folder}. Each is one file: copy it anywhere and run it.`);
