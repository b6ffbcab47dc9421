import { writeSync } from 'node:fs';
import { type Debugger, Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { workerData } from 'node:worker_threads';
import {
  BEATS,
  DEBUGGER,
  REQUESTS,
  WATCHDOG_EXIT_CODE,
  WATCHDOG_SIGNAL,
  type WatchdogOrder,
  createStallClock,
  mainThreadFacts,
} from './stall-clock.ts';

// The watchdog's thread.

const { shared, timeoutMs, intervalMs, isMainThread } = workerData as WatchdogOrder;
const counters = new Int32Array(shared);
const stalled = createStallClock(intervalMs);
const read = (counter: number): number => Atomics.load(counters, counter);

const watching = setInterval(() => {
  const view = {
    at: performance.now(),
    beats: read(BEATS),
    thread: isMainThread ? mainThreadFacts() : undefined,
  };
  if (stalled(view) < timeoutMs || read(DEBUGGER) === 1) return;
  clearInterval(watching);
  void end(view.beats);
}, intervalMs);

/** Time that the main thread has to report its stack. It cannot do so while it runs native code. */
const STACK_MS = 2000;
const MAX_FRAMES = 50;

async function end(beats: number): Promise<void> {
  const session = new Session();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  const paused = isMainThread ? await pause(session) : undefined;
  // The thread has become responsive at the last moment.
  if (read(BEATS) !== beats) {
    if (isMainThread) session.disconnect();
    return;
  }
  const seconds = Math.round(timeoutMs / 1000);
  writeSync(
    2,
    `${JSON.stringify({
      level: 60,
      time: new Date().toISOString(),
      requests: read(REQUESTS),
      rssBytes: process.memoryUsage.rss(),
      stack:
        paused?.callFrames.slice(0, MAX_FRAMES).map((frame) => lineOf(frame, urls)) ??
        (isMainThread ? 'none: the thread runs native code' : 'none: a serving thread is blocked'),
      msg: `The event loop has been blocked for ${seconds} s. Terminating the process with ${WATCHDOG_SIGNAL} (exit code ${WATCHDOG_EXIT_CODE}) so that it can be restarted.`,
    })}\n`,
  );
  process.kill(process.pid, WATCHDOG_SIGNAL);
  // The first process in a container does not receive signals that it does not handle.
  setTimeout(() => exitThere(session, paused), 200);
  setTimeout(crash, 2000);
}

function pause(session: Session): Promise<Debugger.PausedEventDataType | undefined> {
  session.connectToMainThread();
  const { promise, resolve } = Promise.withResolvers<Debugger.PausedEventDataType | undefined>();
  setTimeout(() => resolve(undefined), STACK_MS);
  session.once('Debugger.paused', ({ params }) => resolve(params));
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  return promise;
}

/** Formats a frame as in stack traces. */
function lineOf({ functionName, location }: Debugger.CallFrame, urls: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  return `${functionName || '<anonymous>'} (${urls.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1})`;
}

function exitThere(session: Session, paused: Debugger.PausedEventDataType | undefined): void {
  const callFrameId = paused?.callFrames[0]?.callFrameId;
  if (callFrameId === undefined) return;
  const expression = `process.reallyExit(${WATCHDOG_EXIT_CODE})`;
  session.post('Debugger.evaluateOnCallFrame', { callFrameId, expression });
}

/** A worker thread cannot terminate its process directly, but a fatal V8 error in any thread does. */
function crash(): void {
  setFlagsFromString('--allow-natives-syntax');
  runInThisContext('%AbortJS("The event loop is blocked.")');
}
