import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { shellBlocksOf } from '../docs/commands/blocks.ts';
import { isOutputOf } from '../docs/commands/compare.ts';
import { isServer, runSession } from '../docs/commands/run-session.ts';
import { MINILM, type PublishedModel, RAMPART, withHubOf } from '../helpers/published-model.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';

/** Documented commands that need a published model. `encoderfile` is the single-file build tool. */
export const REAL_SESSIONS: readonly RealSession[] = [
  { page: 'docs/build.md', sections: ["From a model's name"], model: MINILM },
  { page: 'docs/tutorial.md', sections: ['1. Build', '2. Try it'], model: RAMPART },
];

interface RealSession {
  readonly page: string;
  readonly sections: readonly string[];
  readonly model: PublishedModel;
}

/** Runs the commands and throws an error if the output of one differs from its page. */
export async function runRealSession({ page, sections, model }: RealSession, root: string): Promise<void> {
  mkdirSync(root, { recursive: true });
  const encoderfile = join(root, 'encoderfile');
  const args = ['target', 'build', 'encoderfile', '-o', encoderfile, '--cache-dir', TEST_CACHE, '--quiet'];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args]);
  const commands = shellBlocksOf(page)
    .filter(({ section }) => sections.includes(section))
    .flatMap((block) => block.commands);
  await withHubOf(model, root, async (env) => {
    const outputs = await runSession({ root, folder: 'demo', programs: { encoderfile }, env }, commands);
    for (const [index, { command, output }] of commands.entries()) {
      const actual = outputs[index] ?? '';
      const shown = isServer(command) ? `${output}…` : output;
      if (!isOutputOf(actual, shown))
        throw new Error(`$ ${command}\n${actual}\nbut the page shows\n${output}`);
    }
  });
}
