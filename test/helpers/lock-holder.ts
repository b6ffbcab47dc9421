import { join } from 'node:path';
import { execa } from 'execa';
import { ROOT } from './paths.ts';

const PROGRAM = `
const { tryLock } = await import(process.argv[1]);
globalThis.lock = tryLock(process.argv[2]);
console.log(globalThis.lock === undefined ? 'refused' : 'held');
setInterval(() => {}, 1000);
`;

/** A process that holds the lock for a path until it is killed. */
export async function startLockHolder(path: string): Promise<{ kill(): Promise<void> }> {
  const module = join(ROOT, 'runtime/platform/files/file-lock.ts');
  const holder = execa(process.execPath, ['--input-type=module', '-e', PROGRAM, module, path], {
    reject: false,
  });
  const said = await new Promise<string>((resolve) => {
    holder.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString().trim()));
    void holder.then(({ stderr }) => resolve(stderr));
  });
  if (said !== 'held') throw new Error(`the lock of ${path}: ${said}`);
  return {
    async kill() {
      holder.kill('SIGKILL');
      await holder;
    },
  };
}
