import { machineLine, print } from './measure/print.ts';
import { build } from './sections/build.ts';
import { codeMode } from './sections/code-mode.ts';
import { cold } from './sections/cold.ts';
import { experiments } from './sections/experiments.ts';
import { gateway } from './sections/gateway.ts';
import { images } from './sections/images.ts';
import { json } from './sections/json.ts';
import { largeResults } from './sections/large-results.ts';
import { manager } from './sections/manager.ts';
import { memory } from './sections/memory.ts';
import { peers } from './sections/peers.ts';
import type { Section } from './sections/section.ts';
import { serve } from './sections/serve.ts';
import { soak } from './sections/soak.ts';
import { size } from './sections/size.ts';
import { throughput } from './sections/throughput.ts';
import { transform } from './sections/transform.ts';
import { waiting } from './sections/waiting.ts';
import { workflows } from './sections/workflows.ts';
import { openWorkbench } from './setup/workbench.ts';

const SECTIONS: Readonly<Record<string, Section>> = {
  cold,
  memory,
  build,
  size,
  throughput,
  json,
  serve,
  peers,
  images,
  soak,
  transform,
  manager,
  'large-results': largeResults,
  'code-mode': codeMode,
  gateway,
  waiting,
  workflows,
  experiments,
};

const OPTIONS = new Set(['--quick', '--write']);

/** `npm run bench [-- section ... --quick --write]`: prints tables, and asserts nothing. */
async function runBench(args: readonly string[]): Promise<number> {
  const wanted = args.filter((arg) => !OPTIONS.has(arg));
  const unknown = wanted.find((name) => !(name in SECTIONS));
  if (unknown !== undefined) {
    console.error(`No section ${JSON.stringify(unknown)}. There are: ${Object.keys(SECTIONS).join(', ')}.`);
    return 2;
  }
  const bench = await openWorkbench({ quick: args.includes('--quick'), write: args.includes('--write') });
  for (const [name, section] of Object.entries(SECTIONS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    print(`## ${section.title} (${name})\n`);
    if (section.linuxOnly && process.platform !== 'linux') print('Not measured here: it reads /proc.');
    else await section.run(bench);
    print(`${machineLine()}\n`);
  }
  return 0;
}

process.exitCode = await runBench(process.argv.slice(2));
