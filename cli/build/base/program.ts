import { workerAsset } from '../../../runtime/contract/native.ts';
import { bundle } from '../../adapters/esbuild.ts';
import { repositoryFile } from '../../adapters/package-files.ts';

export interface Program {
  readonly main: Uint8Array;
  readonly assets: ReadonlyMap<string, Uint8Array>;
}

/** The program inside every model executable. Named by path: the builder ships it and never loads it. */
export async function bundleEncoder(version: string): Promise<Program> {
  const define = { 'process.env.ENCODERFILE_VERSION': JSON.stringify(version) };
  const [main, worker, tokenizer] = await Promise.all([
    bundle(repositoryFile('runtime/targets/encoder/main.ts'), define),
    bundle(repositoryFile('runtime/targets/encoder/engine/worker.ts'), define),
    bundle(repositoryFile('runtime/targets/encoder/engine/tokenizer-worker.ts'), define),
  ]);
  return {
    main,
    assets: new Map([
      [workerAsset('encoder'), worker],
      [workerAsset('tokenizer'), tokenizer],
    ]),
  };
}
