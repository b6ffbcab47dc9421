import { runCliHere } from './cli-here.ts';
import type { HubServer } from './hub-server.ts';
import { TEST_CACHE } from './paths.ts';
import type { Answer } from './run-process.ts';
import { hubVariables } from './use-hub.ts';

/** Returns a function that runs `encoderfile` in the folder of a test, with the hub and the base runtimes of the test. */
export const hubCli =
  (hub: () => HubServer, folder: () => string) =>
  (args: readonly string[], env: Record<string, string> = {}): Promise<Answer> =>
    runCliHere(args, {
      cwd: folder(),
      env: { ...hubVariables(hub(), folder()), ENCODERFILE_BUILD_CACHE_DIR: TEST_CACHE, ...env },
    });
