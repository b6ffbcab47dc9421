import { once } from 'node:events';
import {
  createLineSplitter,
  type Line,
  type LineSplitter,
  type OpenLine,
  splitLines,
} from '#serve/mcp/line-splitter.ts';
import type { ProcessLaunch } from '../../config/spec.ts';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import {
  MAX_LOG_LINE,
  MAX_MESSAGE_BYTES,
  type Transport,
  type TransportHooks,
  type CloseReason,
  createMessageMeter,
} from '../connection.ts';
import { createFlowLimit, LOG_RATES, MESSAGE_RATES } from './flow-limit.ts';
import { describeExit, findCause } from './find-cause.ts';
import { spawnable } from '#platform/command-file.ts';
import { endChild } from '#platform/process-group.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import { startChild } from './spawn-child.ts';
import type { Writable } from 'node:stream';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type Envelope, readEnvelope } from './read-envelope.ts';

/** After a process exits, time for the rest of its group to exit and its last output to arrive. */
const LEFTOVER_MS = 300;

const FLOODS = {
  messages: `The server sends more than ${MESSAGE_RATES.lines} notifications or ${MESSAGE_RATES.bytes} bytes of unrequested data per second, so it is throttled.`,
  log: `The server writes more than ${LOG_RATES.lines} lines or ${LOG_RATES.bytes} bytes per second to its stderr, so it is throttled.`,
};

type SkippedLine = Extract<MessageLine, { readonly bytes: number }>;

/** Starts a server and exchanges one JSON-RPC message per line over its stdin and stdout; its stderr is its log. */
export async function openProcess(
  launch: ProcessLaunch,
  shutdownMs: number,
  hooks: TransportHooks,
): Promise<Transport> {
  const container = launch.container === undefined ? undefined : nameContainer(launch, launch.container);
  const { onMessage, onLog } = hooks;
  const child = await startChild(container?.launch ?? launch, hooks);
  const { stdin, stdout, stderr } = child.streams;
  const messages = createMessageSplitter({ maxBytes: MAX_MESSAGE_BYTES, maxCharacters: hooks.maxCharacters });
  const logLines = createLineSplitter(MAX_LOG_LINE, { cut: true });
  /** Why the manager stops the server, if it does. */
  let abortReason: string | undefined;
  let expected = false;
  const lastLines = createLastLines();

  const log = (line: string): void => {
    lastLines.add(line);
    onLog(line);
  };
  const takeLine = (text: string): void => {
    const received = parseMessages(text);
    let needed = false;
    if (received) for (const message of received) needed = onMessage(message) === true || needed;
    else if (text.trim() !== '') onLog(`stdout: ${text.slice(0, MAX_LOG_LINE)}`);
    if (!needed) outFlow.count(text.length, 1);
  };
  const takeSkipped = ({ skipped: { isMessage, id, method }, bytes }: SkippedLine): void => {
    if (!isMessage) onLog(`stdout: a line of ${bytes} bytes`);
    else if (method !== undefined) onLog(`stdout: \`${method}\` with ${bytes} bytes was not processed`);
    else if (typeof id === 'number' && hooks.onTooLarge?.(id) === true) return;
    // The caller of an unknown request would wait for its timeout.
    else if (id === undefined) abort(`The server sent a message of ${bytes} bytes with an unreadable ID.`);
    outFlow.count(bytes, 1);
  };
  const outFlow = createFlowLimit(stdout, MESSAGE_RATES, () => hooks.onWarning?.(FLOODS.messages));
  const logFlow = createFlowLimit(stderr, LOG_RATES, () => hooks.onWarning?.(FLOODS.log));
  let ending: Promise<void> | undefined;
  const abort = (reason: string): void => {
    abortReason ??= reason;
    ending ??= child.tree.end(LEFTOVER_MS);
  };
  stdout.on('data', (chunk: Buffer) => {
    for (const line of messages.push(chunk)) {
      if ('text' in line) takeLine(line.text);
      else if ('skipped' in line) takeSkipped(line);
      else abort(`The server sent a message larger than the maximum of ${MAX_MESSAGE_BYTES} bytes.`);
    }
  });
  stderr.on('data', (chunk: Buffer) => {
    const lines = logLines.push(chunk);
    for (const line of lines) if ('text' in line) log(line.text);
    logFlow.count(chunk.length, lines.length);
  });
  // A broken pipe means that the process exited, which is handled below. Without listeners, it would crash
  // the manager.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  // The end of stdout is usually the first sign that the process exits.
  const onStdoutEnd = async (): Promise<void> => {
    if (!(await settlesWithin(LEFTOVER_MS, child.exited))) abort('The server closed its stdout.');
  };
  stdout.once('end', () => void onStdoutEnd());

  const streamsDone = once(child.streams, 'close');

  const waitForEnd = async () => {
    const how = await child.exited;
    // Output that the process wrote before it exited is read without a limit.
    for (const flow of [outFlow, logFlow]) flow.stop();
    await (ending ??= child.tree.end(LEFTOVER_MS));
    if (wasKilled(child.streams)) await container?.remove();
    // A process that has left the group can keep the pipes open.
    await settlesWithin(LEFTOVER_MS, streamsDone);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    for (const line of logLines.end()) if ('text' in line) log(line.text);
    return endOf(how);
  };
  const endOf = (how: string): CloseReason => {
    const cause = findCause(lastLines.all());
    if (expected) return { message: 'The connection was closed.', expected, lines: cause?.lines };
    const why = cause === undefined ? '' : ` It wrote: ${cause.text}`;
    return { message: `${abortReason ?? exitReason(how)}${why}`, expected, lines: cause?.lines };
  };
  const exitReason = (how: string): string =>
    child.tree.memoryKills() > 0
      ? `The server exited with ${how}, because it exceeded limits.memory. Increase the limit.`
      : `The server exited with ${describeExit(how)}.`;
  const closed = waitForEnd();

  const outbox = createOutbox(stdin, () => abort('The server does not read its stdin.'));
  const send = (message: RpcMessage): void => outbox(`${JSON.stringify(message)}\n`);
  return {
    pid: child.pid,
    closed,
    send,
    cancel: (requestId, reason) =>
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    useProtocol: () => undefined,
    warnings: () => [
      ...(outFlow.isThrottled ? [FLOODS.messages] : []),
      ...(logFlow.isThrottled ? [FLOODS.log] : []),
    ],
    async close() {
      expected = true;
      await (ending ??= endChild(child, shutdownMs, child.tree.end));
      await closed;
    },
  };
}

/** On Windows, a process that was terminated has an exit code other than 0 and no signal. */
const wasKilled = ({ signalCode, exitCode }: ChildProcess): boolean =>
  signalCode !== null || (process.platform === 'win32' && exitCode !== 0);

/** Maximum number of buffered bytes before a server that does not read its stdin is stopped. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * Writes all messages of one event loop turn in one chunk. With 16 concurrent calls, that halves the server's
 * work for reading them and saves a tenth of the manager's.
 */
function createOutbox(stream: Writable, onUnread: () => void): (text: string) => void {
  let waiting = '';
  const flush = (): void => {
    stream.write(waiting);
    waiting = '';
    if (stream.writableLength > MAX_UNREAD_BYTES) onUnread();
  };
  return (text) => {
    if (waiting === '') setImmediate(flush);
    waiting += text;
  };
}

/** A container with a unique name. */
interface Container {
  readonly launch: ProcessLaunch;
  /** Forcibly removes the container; resolves when docker has finished; never rejects. */
  remove(): Promise<void>;
}

const REMOVE_MS = 5000;

/**
 * Names a container, so that it can be removed: it is not in the docker client's process group, and outlives
 * the client.
 */
function nameContainer(launch: ProcessLaunch, prefix: string): Container {
  const { command, env } = launch;
  const [run = 'run', ...args] = launch.args;
  const name = `${prefix}-${randomUUID()}`;
  return {
    launch: { ...launch, args: [run, '--name', name, ...args] },
    async remove() {
      const { file, args: remove, ...quoting } = spawnable({ command, env }, ['rm', '--force', name]);
      const docker = spawn(file, remove, { ...quoting, env: { ...env }, stdio: 'ignore', windowsHide: true });
      const exited = once(docker, 'close').catch(() => undefined);
      if (!(await settlesWithin(REMOVE_MS, exited))) docker.kill('SIGKILL');
    },
  };
}

/**
 * A line, or what is known about one that was discarded because it exceeds `maxCharacters`.
 *
 * @internal Exported for tests only.
 */
export type MessageLine = Line | { readonly skipped: Envelope; readonly bytes: number };

interface MessageLimits {
  /** A line that exceeds this limit is reported immediately, and cannot be continued. */
  readonly maxBytes: number;
  /** If a line exceeds this limit, only its start and end are kept, which contain the request ID. */
  readonly maxCharacters?: number | undefined;
}

/** Number of bytes kept at the start and at the end. */
const KEPT = 1024;

/**
 * Splits a server's output into lines with one message each.
 *
 * @internal Exported for tests only.
 */
export const createMessageSplitter = (limits: MessageLimits): LineSplitter<MessageLine> =>
  splitLines(openMessage(limits), limits.maxBytes);

function openMessage({ maxBytes, maxCharacters }: MessageLimits): OpenLine<MessageLine> {
  const meter = createMessageMeter(maxCharacters);
  let parts: Buffer[] = [];
  let bytes = 0;
  let ends: { readonly head: Buffer; tail: Buffer } | undefined;

  return {
    isOpen: () => bytes > 0,
    add(part) {
      const before = bytes;
      bytes += part.length;
      if (bytes > maxBytes) {
        [parts, ends] = [[], undefined];
        return before > maxBytes ? [] : [{ tooLong: true }];
      }
      if (ends) {
        ends.tail = lastBytes([ends.tail, part]);
        return [];
      }
      parts.push(part);
      if (meter.add(part)) {
        const head = Buffer.concat(parts, Math.min(bytes, KEPT));
        ends = { head, tail: lastBytes(parts.slice(-2)) };
        parts = [];
      }
      return [];
    },
    finish() {
      const line = ends
        ? { skipped: readEnvelope(ends.head.toString('utf8'), ends.tail.toString('utf8')), bytes }
        : { text: Buffer.concat(parts).toString('utf8') };
      const finished = bytes > maxBytes ? [] : [line];
      [parts, bytes, ends] = [[], 0, undefined];
      meter.reset();
      return finished;
    },
  };
}

/** A copy of the last bytes, so that the other parts can be freed. */
const lastBytes = (parts: readonly Buffer[]): Buffer =>
  Buffer.from(Buffer.concat(parts.map((part) => part.subarray(-KEPT))).subarray(-KEPT));

/** Maximum number of lines kept to explain a failure. A Node or Python stack trace fits. */
const MAX_LINES = 60;

/** The last lines of a process. Adding a line takes constant time. */
interface LastLines {
  add(line: string): void;
  /** Returns the lines, oldest first. */
  all(): readonly string[];
}

export function createLastLines(): LastLines {
  const ring: string[] = [];
  let next = 0;
  return {
    add(line) {
      ring[next] = line;
      next = (next + 1) % MAX_LINES;
    },
    all: () => [...ring.slice(next), ...ring.slice(0, next)],
  };
}
