import { once } from 'node:events';
import { createLineSplitter } from '../../../../serve/mcp/line-splitter.ts';
import type { ProcessLaunch } from '../../config/spec.ts';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import { MAX_LOG_LINE, MAX_MESSAGE_BYTES, type Transport, type TransportHooks } from '../transport.ts';
import { nameContainer } from './container.ts';
import { createOutbox } from './outbox.ts';
import { endChild } from '../../../../platform/process-group.ts';
import { settlesWithin } from '../../../../platform/settles-within.ts';
import { startChild } from './start-child.ts';

/** Time after the exit of a process for the rest of its group to end and its last output to arrive. */
const LEFTOVER_MS = 300;

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
  const messages = createLineSplitter(MAX_MESSAGE_BYTES);
  const logLines = createLineSplitter(MAX_LOG_LINE, { cut: true });
  /** The reason why the manager stops the server, if it does. */
  let abortReason: string | undefined;
  let expected = false;
  let lastLogLine: string | undefined;

  const log = (line: string): void => {
    if (isInformative(line)) lastLogLine = line;
    onLog(line);
  };
  const takeLine = (text: string): void => {
    const received = parseMessages(text);
    if (received) for (const message of received) onMessage(message);
    else if (text.trim() !== '') onLog(`stdout: ${text.slice(0, MAX_LOG_LINE)}`);
  };
  let ending: Promise<void> | undefined;
  const abort = (reason: string): void => {
    abortReason ??= reason;
    ending ??= child.tree.end(LEFTOVER_MS);
  };
  stdout.on('data', (chunk: Buffer) => {
    for (const line of messages.push(chunk)) {
      if ('text' in line) takeLine(line.text);
      else abort(`The server sent a message larger than the maximum of ${MAX_MESSAGE_BYTES} bytes.`);
    }
  });
  stderr.on('data', (chunk: Buffer) => {
    for (const line of logLines.push(chunk)) if ('text' in line) log(line.text);
  });
  // A broken pipe means that the process exited, which is handled below. Without listeners, it would crash the manager.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  // The end of stdout is usually the first sign that the process exits.
  const onStdoutEnd = async (): Promise<void> => {
    if (!(await settlesWithin(LEFTOVER_MS, child.exited))) abort('The server closed its stdout.');
  };
  stdout.once('end', () => void onStdoutEnd());

  const streamsDone = once(child.streams, 'close');

  const waitForEnd = async () => {
    const how = await child.exited;
    await (ending ??= child.tree.end(LEFTOVER_MS));
    if (child.streams.signalCode !== null) await container?.remove();
    // A process that has left the group can keep the pipes open.
    await settlesWithin(LEFTOVER_MS, streamsDone);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    for (const line of logLines.end()) if ('text' in line) log(line.text);
    return { message: reasonFor(how), expected };
  };
  const reasonFor = (how: string): string => {
    if (expected) return 'The connection was closed.';
    const log = lastLogLine === undefined ? '' : ` Last line of its stderr: ${lastLogLine}`;
    return `${abortReason ?? exitReason(how)}${log}`;
  };
  const exitReason = (how: string): string =>
    child.tree.memoryKills() > 0
      ? `The server exited with ${how}, because it needed more than its limits.memory. Increase the limit.`
      : `The server exited with ${how}.`;
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
    async close() {
      expected = true;
      await (ending ??= endChild(child, shutdownMs, child.tree.end));
      await closed;
    },
  };
}

/** Whether a line can explain an exit. Docker ends each error with a line about its help. */
const isInformative = (line: string): boolean => line.trim() !== '' && !/^Run 'docker .*--help'/.test(line);
