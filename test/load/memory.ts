import { memoryOf } from '../bench/measure/process-memory.ts';
import { doorsOf, inParallel, send } from './doors.ts';
import { startLoadGateway } from './gateway.ts';
import { startCountingProvider } from './provider.ts';

const REQUESTS = 100_000;
const STEP = 10_000;
const PARALLEL = 16;
const MAX_MIB = 170;
/** Maximum growth of memory in the second half, relative to the first. */
const MAX_GROWTH = 1.05;

/** The gateway's memory while it handles requests of every API. */
export async function checkMemory(program: string): Promise<readonly string[]> {
  const provider = await startCountingProvider();
  const gateway = await startLoadGateway(program, provider.port);
  const doors = doorsOf('bench:m');
  const peaks: number[] = [];
  try {
    for (let sent = 0; sent < REQUESTS; sent += STEP) {
      let peak = 0;
      await inParallel(STEP, PARALLEL, async (index) => {
        const door = doors[index % doors.length];
        if (door) await send(gateway, door);
        if (index % 100 === 0) peak = Math.max(peak, memoryOf(gateway.pid()).resident);
      });
      peaks.push(peak / 1024 / 1024);
      console.log(`${sent + STEP} requests: ${(peak / 1024 / 1024).toFixed(0)} MiB`);
    }
  } finally {
    await gateway.stop();
    provider.close();
  }
  const half = peaks.length / 2;
  const [first, second] = [Math.max(...peaks.slice(1, half)), Math.max(...peaks.slice(half))];
  return [
    ...(Math.max(...peaks) > MAX_MIB ? [`more than ${MAX_MIB} MiB`] : []),
    ...(second > first * MAX_GROWTH
      ? [`memory grew from ${first.toFixed(0)} to ${second.toFixed(0)} MiB`]
      : []),
  ];
}
