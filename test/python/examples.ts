import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { MINILM, withHubOf } from '../helpers/published-model.ts';
import { ROOT } from '../helpers/paths.ts';

interface Example {
  readonly code: string;
  readonly output: string;
}

/** The programs in docs/python.md, each followed by its output. */
function examplesOf(page: string): readonly Example[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```python\n([^]*?)^```\n(?:\n```text\n([^]*?)^```\n)?/gm)];
  return blocks.map(([, code = '', output = '']) => ({ code, output }));
}

/**
 * Runs the programs in docs/python.md in order, in one folder, with the published model from a local hub. Throws if one of them prints
 * something else than the page shows.
 */
export async function runExamples(
  python: string,
  folder: string,
  variables: Record<string, string>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const examples = examplesOf('docs/python.md');
  if (examples.length < 5) throw new Error('docs/python.md has no examples');
  await withHubOf(MINILM, folder, async (env) => {
    const differences: string[] = [];
    for (const { code, output } of examples) {
      const options = { cwd: folder, env: { ...env, ...variables }, reject: false, stripFinalNewline: false };
      const { stdout, stderr, exitCode } = await execa(python, ['-c', code], options);
      if (exitCode !== 0 || stdout !== output)
        differences.push(`${code}\nprints\n${stdout}\nbut the page shows\n${output}\n${stderr}`);
    }
    if (differences.length > 0) throw new Error(`docs/python.md: ${differences.join('\n\n')}`);
  });
}
