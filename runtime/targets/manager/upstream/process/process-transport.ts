import { once } from 'node:events';
import { createLineSplitter } from '../../../../serve/mcp/line-splitter.ts';
import type { ProcessLaunch } from '../../config/spec.ts';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import { MAX_LOG_LINE, MAX_MESSAGE_BYTES, type Transport, type TransportHooks } from '../transport.ts';
import { nameContainer } from './container.ts';
import { createOutbox } from './outbox.ts';
import { endChild, endGroup } from '../../../../platform/process-group.ts';
import { settlesWithin } from '../../../../platform/settles-within.ts';
import { spawnChild } from './spawn-child.ts';

/** For what a dead child leaves behind: its group, and what it said last. */
const LEFTOVER_MS = 300;

/** One JSON-RPC message a line, over stdin and stdout of a child; its stderr is its log. */
export async function openProcess(
  launch: ProcessLaunch,
  shutdownMs: number,
  { onMessage, onLog }: TransportHooks,
): Promise<Transport> {
  const container = launch.container === undefined ? undefined : nameContainer(launch, launch.container);
  const child = await spawnChild(container?.launch ?? launch);
  const { stdin, stdout, stderr } = child.streams;
  const messages = createLineSplitter(MAX_MESSAGE_BYTES);
  const logLines = createLineSplitter(MAX_LOG_LINE, { cut: true });
  /** Why we end it, if it is us. */
  let verdict: string | undefined;
  let expected = false;
  let lastLogLine: string | undefined;

  const log = (line: string): void => {
    if (saysSomething(line)) lastLogLine = line;
    onLog(line);
  };
  const takeLine = (text: string): void => {
    const received = parseMessages(text);
    if (received) for (const message of received) onMessage(message);
    else if (text.trim() !== '') onLog(`stdout: ${text.slice(0, MAX_LOG_LINE)}`);
  };
  let ending: Promise<void> | undefined;
  const giveUp = (reason: string): void => {
    verdict ??= reason;
    ending ??= endGroup(child.pid, LEFTOVER_MS);
  };
  stdout.on('data', (chunk: Buffer) => {
    for (const line of messages.push(chunk)) {
      if ('text' in line) takeLine(line.text);
      else
        giveUp(
          `The server sent a message of more than ${MAX_MESSAGE_BYTES} bytes; it must send less at once.`,
        );
    }
  });
  stderr.on('data', (chunk: Buffer) => {
    for (const line of logLines.push(chunk)) if ('text' in line) log(line.text);
  });
  // A broken pipe is the child's end, and that is told by its exit. Without listeners it would be ours.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  // Usually this is the first sign of its end.
  const onStdoutEnd = async (): Promise<void> => {
    if (!(await settlesWithin(LEFTOVER_MS, child.exited))) giveUp('The server closed its stdout.');
  };
  stdout.once('end', () => void onStdoutEnd());

  const streamsDone = once(child.streams, 'close');

  const waitForEnd = async () => {
    const how = await child.exited;
    await (ending ??= endGroup(child.pid, LEFTOVER_MS));
    if (child.streams.signalCode !== null) await container?.remove();
    // A process that left the group may still hold the pipes open.
    await settlesWithin(LEFTOVER_MS, streamsDone);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    for (const line of logLines.end()) if ('text' in line) log(line.text);
    return { message: reasonFor(how), expected };
  };
  const reasonFor = (how: string): string => {
    if (expected) return 'The connection was closed.';
    const said = lastLogLine === undefined ? '' : ` The last line of its stderr: ${lastLogLine}`;
    return `${verdict ?? `The server ended with ${how}.`}${said}`;
  };
  const closed = waitForEnd();

  const outbox = createOutbox(stdin, () => giveUp('The server does not read its stdin.'));
  const send = (message: RpcMessage): void => outbox(`${JSON.stringify(message)}\n`);
  return {
    pid: child.pid,
    closed,
    send,
    cancel: (requestId, reason) =>
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    useProtocol: () => undefined,
    async close() {
      expected = true;
      await (ending ??= endChild(child, shutdownMs));
      await closed;
    },
  };
}

/** Docker ends each of its errors with a line about its help. */
const saysSomething = (line: string): boolean => line.trim() !== '' && !/^Run 'docker .*--help'/.test(line);
