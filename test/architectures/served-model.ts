import { readFileSync } from 'node:fs';
import { portIn, startExecutable } from '../helpers/start-executable.ts';

/** A served model. */
export interface ServedModel {
  /** The vector of each text, its logits, or the logits of all its tokens. */
  readonly predict: (texts: readonly string[]) => Promise<number[][]>;
  /** CPU time of the process so far, in milliseconds. */
  readonly processorTime: () => number;
  readonly stop: () => Promise<void>;
}

interface Result {
  readonly logits?: readonly number[];
  readonly embedding?: readonly number[];
  readonly tokens?: readonly { readonly logits: readonly number[] }[];
}

/** Ticks of /proc/PID/stat per second, the same on every Linux. */
const TICKS = 100;

export async function serveModel(path: string): Promise<ServedModel> {
  const flags = ['--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];
  const running = startExecutable(path, ['serve', ...flags]);
  const port = portIn(await running.said(/"msg":"serving"/), 'HTTP');
  return {
    predict: async (inputs) => {
      const response = await fetch(`http://127.0.0.1:${port}/predict`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ inputs }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`/predict answers ${response.status}: ${text}`);
      const { results }: { readonly results: readonly Result[] } = JSON.parse(text);
      return results.map(({ logits = [], embedding = [], tokens = [] }) => [
        ...logits,
        ...embedding,
        ...tokens.flatMap((token) => token.logits),
      ]);
    },
    processorTime: () => {
      const stat = readFileSync(`/proc/${running.child.pid}/stat`, 'latin1');
      // The program name, which can contain spaces, is in parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
    },
    stop: async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
}
