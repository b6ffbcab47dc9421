import { setTimeout as sleep } from 'node:timers/promises';
import { doorsOf, inParallel, send } from './doors.ts';
import { startLoadGateway } from './gateway.ts';
import { startCountingProvider } from './provider.ts';

const REQUESTS = 10_000;
const PARALLEL = 16;
const KILLS = 4;

/**
 * A random mix of all routes while the gateway is killed several times. Every response that a client has received completely must have one
 * usage row with the provider's count. Other rows must belong to responses that were in progress when the gateway was killed.
 */
export async function checkBooks(program: string): Promise<readonly string[]> {
  const provider = await startCountingProvider({ firstNumber: 1 });
  const gateway = await startLoadGateway(program, provider.port);
  const doors = doorsOf('bench:m');
  let [answered, failed, kills] = [0, 0, 0];
  let killing: Promise<void> | undefined;
  try {
    await inParallel(REQUESTS, PARALLEL, async (index) => {
      if (index > 0 && index % Math.floor(REQUESTS / (KILLS + 1)) === 0 && kills < KILLS) {
        kills += 1;
        killing = gateway.kill().finally(() => (killing = undefined));
      }
      const door = doors[Math.floor(Math.random() * doors.length)];
      if (!door) return;
      for (let isDone = false; !isDone;) {
        if (killing) await killing;
        try {
          const text = await send(gateway, door);
          // An interrupted stream ends with an error event, or without an end event.
          isDone = !door.isStream || !/"error":\{/.test(text);
        } catch {
          failed += 1;
          await sleep(20);
        }
      }
      answered += 1;
    });
    await sleep(500);
    const rows = await gateway.rows();
    const counted = new Map(provider.answers.map((answer) => [answer.promptTokens, answer.completionTokens]));
    const numbers = rows.map(([prompt]) => prompt);
    const twice = numbers.length - new Set(numbers).size;
    const wrong = rows.filter(([prompt, completion]) => counted.get(prompt) !== completion).length;
    const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
    const missing = provider.answers.length - new Set(numbers).size;
    console.log(`${answered} answers, ${failed} requests cut off by ${kills} kills`);
    console.log(`provider: ${provider.answers.length} answers, ${sum(counted.values())} output tokens`);
    console.log(`books: ${rows.length} rows, ${sum(rows.map(([, completion]) => completion))} output tokens`);
    console.log(`rows twice: ${twice}, with another count: ${wrong}, answers without a row: ${missing}`);
    return [
      ...(rows.length < answered ? [`${answered - rows.length} complete answers have no row`] : []),
      ...(twice > 0 ? [`${twice} answers have two rows`] : []),
      ...(wrong > 0 ? [`${wrong} rows differ from the provider's count`] : []),
      ...(missing > failed ? [`${missing} answers have no row, but only ${failed} were cut off`] : []),
    ];
  } finally {
    await gateway.stop();
    provider.close();
  }
}
