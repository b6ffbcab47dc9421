import { greatest } from '#core/numbers/extremes.ts';
import type { JobItem } from '../job.ts';
import type { PoolMember } from '../pool-member.ts';
import { type GpuPlan, milliseconds } from './gpu-plan.ts';

/** The GPU as the dispatcher sees it: next to the threads of the pool, which run on the CPU. */
export interface GpuLane {
  readonly plan: GpuPlan;
  /** Number of batches that were sent and are not completed; Infinity while no batch can be sent. */
  readonly running: () => number;
  readonly send: (items: readonly JobItem[]) => void;
  /** Expected time until the GPU has completed its batches and this many more tokens. */
  readonly remaining: (tokens: number) => number;
  readonly close: () => Promise<void>;
}

interface GpuLaneParts {
  readonly member: PoolMember;
  readonly plan: GpuPlan;
  /** Runs the probes again. Rejects if the GPU no longer returns the results of the CPU. */
  readonly verify: () => Promise<void>;
  /** Whether a batch has failed since the last call. */
  readonly hasFailed: () => boolean;
  /** Called when another batch can be sent. */
  readonly onRoom: () => void;
  readonly onLost: (error: unknown) => void;
}

/** Number of failed batches after which the GPU is not used any more, although its probes succeed. */
const MAX_FAILURES = 8;

/** Sends batches to the thread that owns the GPU, and verifies the GPU after a batch has failed. */
export function createGpuLane({ member, plan, verify, hasFailed, onRoom, onLost }: GpuLaneParts): GpuLane {
  let state: 'open' | 'verifying' | 'lost' = 'open';
  let failures = 0;
  /** When the batches that were sent are expected to be completed. */
  let endsAt = 0;

  const lose = (error: unknown): void => {
    if (state === 'lost') return;
    state = 'lost';
    onLost(error);
  };
  const recover = async (): Promise<void> => {
    failures += 1;
    if (failures >= MAX_FAILURES) return lose(new Error(`${failures} batches failed`));
    state = 'verifying';
    try {
      await verify();
      if (state === 'verifying') state = 'open';
    } catch (error) {
      lose(error);
    }
  };
  const run = async (items: readonly JobItem[]): Promise<void> => {
    await member.run(items);
    if (member.running() === 0) endsAt = 0;
    if (hasFailed() && state === 'open') await recover();
    onRoom();
  };
  void member.died.then(lose);

  return {
    plan,
    running: () => (state === 'open' ? member.running() : Infinity),
    send(items) {
      const tokens = items.length * greatest(items.map(({ length }) => length));
      endsAt = Math.max(endsAt, performance.now()) + milliseconds(plan.gpu, tokens);
      void run(items);
    },
    remaining: (tokens) => Math.max(0, endsAt - performance.now()) + milliseconds(plan.gpu, tokens),
    async close() {
      state = 'lost';
      await member.close();
    },
  };
}
