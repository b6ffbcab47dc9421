import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FIXTURES, ROOT } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';

describe('encoderfile schema', () => {
  test('prints the schema in docs/config.schema.json', async () => {
    const { exitCode, stdout, stderr } = await runCli(['schema']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(`${stdout}\n`).toBe(readFileSync(join(ROOT, 'docs/config.schema.json'), 'utf8'));
    expect(JSON.parse((await runCli(['schema', '--json'])).stdout)).toEqual(JSON.parse(stdout));
  });

  test('prints a schema that a standard validator accepts', async () => {
    const { stdout } = await runCli(['schema']);
    const check = new Ajv({ strict: true }).compile(JSON.parse(stdout) as object);
    const config = readFileSync(join(FIXTURES, 'models/ner/encoderfile.yml'), 'utf8');
    expect(check(parse(config))).toBe(true);
    expect(check({ encoderfile: {} })).toBe(false);
  });
});
