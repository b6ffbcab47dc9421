import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Program } from '#serve/cli/command.ts';
import { runProgram } from '#serve/cli/run.ts';
import { encoderProgram } from '#encoder/program.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { managerProgram } from '#manager/program.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';

const folder = useTempFolder();

async function run(program: Program, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runProgram(program, args, output);
  return { code, out, err };
}

test('mcp-manager list --json prints the same output as --format json', async () => {
  const config = join(folder(), '.mcpd.toml');
  writeFileSync(config, '[[servers]]\nname = "echo"\npackage = "npx::echo@1.0.0"\ntools = ["echo"]\n');
  const { code, out, err } = await run(managerProgram, 'list', '--json', '--config', config);
  expect(err).toBe('');
  expect({ code, servers: JSON.parse(out) }).toMatchObject({ code: 0, servers: [{ name: 'echo' }] });
  expect((await run(managerProgram, 'list', '--format', 'json', '--config-file', config)).out).toBe(out);
});

test.each([
  ['mcp-manager', managerProgram, ['list', '--config', '/no/such/file']],
  ['gateway', gatewayProgram, ['experiment', 'list', '--config', '/no/such/file.yml']],
  ['model.encoder', encoderProgram('/no/such/file', 'model.encoder'), ['version']],
] as const)(
  'with --json, %s prints an error to stderr in the JSON format that all programs share',
  async (_name, program, words) => {
    const { code, out, err } = await run(program, ...words, '--json');
    expect({ code, out, error: JSON.parse(err) }).toEqual({
      code: 1,
      out: '',
      error: { error: { code: expect.stringMatching(/Error$/), message: expect.any(String) } },
    });
  },
);

test('a model executable prints completions for its commands', async () => {
  const { code, out } = await run(encoderProgram('', 'model.encoder'), 'completion', 'bash');
  expect(code).toBe(0);
  expect(out).toContain('complete -o bashdefault -o default -F _model_encoder model.encoder');
  expect(out).toContain(
    "'serve infer mcp bench inspect verify version completion licenses'".replaceAll("'", ''),
  );
});
