import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_FIELDS } from '../../../runtime/contract/config-schema.ts';
import { runProgram } from '../measure/child.ts';
import { PATHS } from '../setup/paths.ts';
import { builder, encoder } from '../setup/programs.ts';
import type { Contestant } from './contestant.ts';

/** Builds the model from the current code, in float32 and, if supported, in int8. */
export async function buildOurs(source: string): Promise<Contestant[]> {
  return [
    await buildOne(source, 'fp32', {}),
    ...(CONFIG_FIELDS.includes('quantize') ? [await buildOne(source, 'int8', { quantize: 'int8' })] : []),
  ];
}

async function buildOne(
  source: string,
  precision: Contestant['precision'],
  settings: object,
): Promise<Contestant> {
  const config = join(PATHS.work, `peers-${precision}.yml`);
  const executable = join(PATHS.work, `peers-${precision}.encoder`);
  const fields = {
    name: 'bench',
    path: source,
    model_type: 'sentence_embedding',
    pooling: 'mean',
    normalize: true,
  };
  await writeFile(config, JSON.stringify({ encoderfile: { ...fields, ...settings } }));
  console.error(`Building ours in ${precision} ...`);
  await runProgram(builder(config, executable));
  const flags = ['--disable-grpc', '--log-level', 'silent', '--http-hostname', '127.0.0.1'];
  return {
    name: `encoderfile ${precision}`,
    precision,
    isOurs: true,
    path: '/v1/embeddings',
    serve: (port) => encoder(executable, 'serve', '--http-port', String(port), ...flags),
    once: (text) => encoder(executable, 'infer', text),
    fileBytes: (await stat(executable)).size,
  };
}
