import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { createConnectRouter } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import { commandHelp } from '#serve/cli/help.ts';
import { encoderGrpcRoutes } from '#encoder/grpc/routes.ts';
import { createEncoderTool } from '#encoder/mcp/run-encoder.ts';
import { encoderProgram } from '#encoder/program.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';
import { appAround } from '../http/open-app.ts';
import { contextOf } from '../mcp/serving-context.ts';
import { INFER_HELP, MANIFESTS, SURFACES } from './fixture-models.ts';

const MODELS = JSON.parse(readFileSync(MANIFESTS, 'utf8')) as Record<string, Manifest>;

test('documents, tools and services of all fixture models are byte-for-byte unchanged', async () => {
  const surfaces: Record<string, unknown> = {};
  for (const [model, manifest] of Object.entries(MODELS)) surfaces[model] = await surfaceOf(manifest);
  await expect(`${JSON.stringify(surfaces, null, 1)}\n`).toMatchFileSnapshot(SURFACES);
});

test('the help of infer is unchanged', async () => {
  const program = encoderProgram('model.encoder', 'model.encoder');
  await expect(helpOf(program)).toMatchFileSnapshot(INFER_HELP);
});

/**
 * The interface that a model shows to clients. Long documents are represented by a hash for each part, so that a difference can be located.
 */
async function surfaceOf(manifest: Manifest): Promise<object> {
  const engine = standInEngine(manifest, () => Promise.reject(new Error('not for this test')));
  const context = contextOf(engine);
  const { app } = appAround(engine);
  const get = async (path: string): Promise<string> => await (await app.request(path)).text();
  const { paths, components, ...rest } = JSON.parse(
    (await get('/openapi.json')).replaceAll(TIME_OF_START, '"created":0'),
  ) as OpenApi;
  const router = createConnectRouter();
  const addRoutes = await encoderGrpcRoutes(context, { maxMessageBytes: 1 });
  addRoutes(router);
  const files = new Map(router.handlers.map(({ service }) => [service.file.name, service.file.proto]));
  return {
    openapi: { ...hashes(paths), ...hashes(components.schemas), rest: hash(JSON.stringify(rest)) },
    mcp: createEncoderTool(context).definition,
    grpc: router.handlers.map(({ requestPath }) => requestPath),
    proto: Object.fromEntries(
      [...files].map(([name, file]) => [name, hash(toBinary(FileDescriptorProtoSchema, file))]),
    ),
    model: JSON.parse(await get('/model')),
    info: JSON.parse(await get('/info')),
  };
}

/** The example in the list of models contains the start time of the server. */
const TIME_OF_START = /"created":\d+/g;

interface OpenApi {
  readonly paths: object;
  readonly components: { readonly schemas: object };
}

const hash = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 16);

const hashes = (parts: object): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, hash(JSON.stringify(part))]));

function helpOf(program: ReturnType<typeof encoderProgram>): string {
  const { infer } = program.commands;
  if (!infer || 'commands' in infer) throw new Error('there is no infer command');
  return commandHelp(program, 'infer', infer);
}
