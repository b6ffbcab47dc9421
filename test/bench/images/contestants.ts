import { join } from 'node:path';
import type { Program } from '../measure/child.ts';
import { PATHS } from '../setup/paths.ts';
import { encoder } from '../setup/programs.ts';

/** A server for the same model, which classifies an image with POST / in the form of Hugging Face's Inference API. */
export interface ImageContestant {
  /** The name in tables. */
  readonly name: string;
  readonly serve: (port: number) => Program;
}

/** The threads of ONNX Runtime per image: its default, which is one per CPU, or one. */
const THREADS = { 'one thread per CPU': 0, 'one thread': 1 } as const;

const SERVER = join(import.meta.dirname, 'server.py');

const FLAGS = ['--disable-grpc', '--log-level', 'silent', '--http-hostname', '127.0.0.1'];

export const imageContestants = (
  executable: string,
  python: string,
  models: string,
  model: string,
): ImageContestant[] => [
  {
    name: OURS,
    serve: (port) => encoder(executable, 'serve', '--http-port', String(port), ...FLAGS),
  },
  ...Object.entries(THREADS).map(([threads, count]) => ({
    name: `FastAPI, ${threads}`,
    serve: (port: number) => ({
      command: python,
      args: [SERVER, join(models, model), String(count), 'serve', String(port)],
    }),
  })),
  {
    name: 'transformers.js behind hono',
    serve: (port) => ({
      command: process.execPath,
      args: [join(import.meta.dirname, 'transformers-server.mjs'), models, model, String(port)],
    }),
  },
];

export const OURS = 'encoderfile';

/** Python without a server, which is given files in memory. */
export const pythonLoops = (
  python: string,
  models: string,
  model: string,
  files: readonly string[],
): (Program & { readonly name: string })[] =>
  Object.entries(THREADS).map(([threads, count]) => ({
    name: `Python without a server, ${threads}`,
    command: python,
    args: [SERVER, join(models, model), String(count), 'loop', ...files],
  }));

/** Writes `count` images to `folder`. */
export const imageMaker = (python: string, folder: string, count: number): Program => ({
  command: python,
  args: [join(PATHS.bench, 'images/make_images.py'), folder, String(count)],
});
