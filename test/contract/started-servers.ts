import { afterEach } from 'vitest';
import { ANY_PORTS } from './serving.ts';
import { portIn, type RunningExecutable, startExecutable } from '../helpers/start-executable.ts';
import { builtExecutable } from '../helpers/built.ts';

interface StartedServer extends RunningExecutable {
  readonly url: string;
  readonly grpcPort: number;
}

interface StartOptions {
  readonly path?: string;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

interface Servers {
  /** Starts `serve` and waits until it responds. */
  readonly serve: (options?: StartOptions) => Promise<StartedServer>;
  /** Registers an executable that was started elsewhere, so that it is also stopped. */
  readonly endAfterTest: (executable: RunningExecutable) => void;
}

/** Executables that a test starts; any that are still running after the test are killed. */
export function useServers(): Servers {
  const running: RunningExecutable[] = [];
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });
  const endAfterTest = (executable: RunningExecutable): void => void running.push(executable);
  return {
    endAfterTest,
    async serve({ path = builtExecutable('sentiment'), args = [], env } = {}) {
      const started = startExecutable(path, ['serve', ...ANY_PORTS, ...args], env);
      endAfterTest(started);
      const banner = await started.said(/"msg":"serving"/);
      const url = `http://127.0.0.1:${portIn(banner, 'HTTP')}`;
      return { ...started, url, grpcPort: portIn(banner, 'gRPC') };
    },
  };
}
