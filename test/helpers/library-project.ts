import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownVersion } from '#cli/adapters/own-files.ts';
import { hostPlatform } from '#cli/packaging/plan.ts';
import { bundleLibrary, LIBRARY_MANIFEST } from '#cli/release/node/library.ts';
import { platformPackage } from '#contract/platform-package.ts';
import { builtBuildTool } from './built.ts';
import { TEST_CACHE } from './paths.ts';
import { type Answer, type ProcessOptions, runProcess } from './run-process.ts';

/** A folder in which the package of the build tool is installed. Scripts in it can import `encoderfile`. */
export interface LibraryProject {
  readonly folder: string;
  /** Runs a script, which is an ES module, in a process of its own. */
  readonly run: (source: string, options?: ScriptOptions) => Promise<Answer>;
}

interface ScriptOptions extends ProcessOptions {
  readonly name?: string;
  readonly args?: readonly string[];
}

/** Writes the files of the package, and links the executable of the package for this platform. */
export async function createLibraryProject(folder: string): Promise<LibraryProject> {
  const modules = join(folder, 'node_modules');
  const root = join(modules, 'encoderfile');
  const files = new Map<string, string | Uint8Array>([
    ...(await bundleLibrary()),
    ['package.json', JSON.stringify({ name: 'encoderfile', version: ownVersion(), ...LIBRARY_MANIFEST })],
  ]);
  for (const [path, content] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const { name, path } = platformPackage(
    'encoderfile',
    hostPlatform({ os: process.platform, cpu: process.arch }),
  );
  mkdirSync(dirname(join(modules, name, path)), { recursive: true });
  symlinkSync(builtBuildTool(), join(modules, name, path));
  return {
    folder,
    run(source, { name: file = 'script.mjs', args = [], env, ...options } = {}) {
      writeFileSync(join(folder, file), source);
      return runProcess(process.execPath, [file, ...args], {
        ...options,
        cwd: folder,
        env: { ENCODERFILE_CACHE_DIR: TEST_CACHE, ...env },
      });
    },
  };
}
