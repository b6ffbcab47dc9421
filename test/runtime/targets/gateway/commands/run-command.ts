import { vi } from 'vitest';
import { runProgram } from '#serve/cli/run.ts';
import { gatewayProgram } from '#gateway/program.ts';

interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a gateway command line in this process. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Told> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  let [out, err] = ['', ''];
  try {
    const code = await runProgram(gatewayProgram, args, {
      out: (text) => (out += text),
      err: (text) => (err += text),
    });
    return { code, out, err };
  } finally {
    vi.unstubAllEnvs();
  }
}
