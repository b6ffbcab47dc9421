import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../measure/child.ts';
import { PATHS } from '../setup/paths.ts';
import type { Contestant } from './contestant.ts';
import type { PreparedModel } from './prepare-model.ts';

/** Programs that the user provides: their paths are in environment variables. A peer without its variable is skipped. */
export async function givenPeers(
  model: PreparedModel,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly peers: Contestant[]; readonly missing: string[] }> {
  const { PEER_RUST_ENCODERFILE: rust, PEER_TEI: tei, PEER_LLAMA_SERVER: llama } = env;
  const missing = [
    ...(rust
      ? []
      : ['Rust encoderfile is left out: set PEER_RUST_ENCODERFILE to the path of its build tool.']),
    ...(tei ? [] : ['TEI is left out: set PEER_TEI to the path of text-embeddings-router.']),
    ...(llama
      ? []
      : [
          'llama.cpp is left out: set PEER_LLAMA_SERVER to the path of llama-server, and PEER_LLAMA_GGUF to a folder with the model as f32.gguf and q8_0.gguf.',
        ]),
  ];
  const peers = [
    ...(rust ? [await rustPeer(rust, model, env['PEER_RUST_ENCODERFILE_BASE'])] : []),
    ...(tei ? [teiPeer(tei, model)] : []),
    ...(llama ? llamaPeers(llama, env['PEER_LLAMA_GGUF'] ?? model.folder) : []),
  ];
  return { peers, missing };
}

/** If the path of a base binary is set, the tool does not download one. */
async function rustPeer(tool: string, model: PreparedModel, base: string | undefined): Promise<Contestant> {
  const executable = join(PATHS.work, 'peers-rust.encoderfile');
  const config = join(PATHS.work, 'peers-rust.yml');
  const fields = {
    name: 'bench',
    path: model.folder,
    model_type: 'sentence_embedding',
    output_path: executable,
    transform: 'function Postprocess(vectors, mask)\n  return vectors:mean_pool(mask)\nend\n',
  };
  await writeFile(config, JSON.stringify({ encoderfile: fields }));
  console.error('Building with the Rust encoderfile ...');
  const source = base === undefined ? [] : ['--base-binary-path', base];
  await runProgram({ command: tool, args: ['build', '-f', config, ...source] });
  // The tool can write its output without execute permission (observed with its own base binary).
  await chmod(executable, 0o755);
  const flags = ['--disable-grpc', '--http-hostname', '127.0.0.1'];
  return {
    name: 'Rust encoderfile fp32',
    precision: 'fp32',
    isOurs: false,
    path: '/predict',
    serve: (port) => ({ command: executable, args: ['serve', '--http-port', String(port), ...flags] }),
    once: (text) => ({ command: executable, args: ['infer', text] }),
    fileBytes: (await stat(executable)).size,
  };
}

const teiPeer = (program: string, model: PreparedModel): Contestant => ({
  name: 'TEI fp32',
  precision: 'fp32',
  isOurs: false,
  path: '/v1/embeddings',
  serve: (port) => ({
    command: program,
    args: [
      '--model-id',
      model.folder,
      '--port',
      String(port),
      '--hostname',
      '127.0.0.1',
      '--pooling',
      'mean',
      '--dtype',
      'float32',
      '--auto-truncate',
      // All texts whose vectors are compared are sent in one request.
      '--max-client-batch-size',
      '64',
    ],
  }),
});

/** The server decodes up to 16 texts together; its context is shared by all of them. */
const llamaPeers = (program: string, folder: string): Contestant[] =>
  (
    [
      ['f32', 'fp32'],
      ['q8_0', 'int8'],
    ] as const
  ).map(([type, precision]) => ({
    name: `llama.cpp ${type}`,
    precision,
    isOurs: false,
    path: '/v1/embeddings',
    serve: (port) => ({
      command: program,
      args: [
        '--model',
        join(folder, `${type}.gguf`),
        '--port',
        String(port),
        '--host',
        '127.0.0.1',
        '--embedding',
        '--pooling',
        'mean',
        '--parallel',
        '16',
        '--ctx-size',
        String(16 * 512),
        '--batch-size',
        '2048',
        '--ubatch-size',
        '2048',
        '--log-disable',
      ],
    }),
  }));
