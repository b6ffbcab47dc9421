import { AppError, messageOf } from '#contract/errors.ts';
import type { ServerSpec } from '../config/spec.ts';
import { type Connection, type ConnectionHooks, TimeoutFailure } from './connection.ts';
import { performHandshake } from './handshake.ts';
import { Malformed } from '../shapes/shape.ts';
import { SUBSCRIPTION_ACKNOWLEDGED } from './listen-for-changes.ts';
import { openTransport } from './open-transport.ts';
import { createStartExtension } from './start-extension.ts';
import { startFailure } from './start-failure.ts';
import { ResultTooLarge } from './result-limit.ts';
import { createRpcPeer } from './rpc-peer.ts';

/**
 * Starts a server, or connects to a remote one, and performs the handshake. Rejects with an AppError that explains the failure,
 * or with the reason of the signal; then no process is left running.
 */
export async function openConnection(
  { name, launch, timeouts }: ServerSpec,
  { onNotification, onLog, onWarning, trees, signIns: store, user, maxResultCharacters }: ConnectionHooks,
  signal?: AbortSignal,
): Promise<Connection> {
  signal?.throwIfAborted();
  const rpc = createRpcPeer({
    send: (message, requestHeaders) => transport.send(message, requestHeaders),
    cancel: (id, reason) => transport.cancel(id, reason),
    onNotification(method, params) {
      if (method !== SUBSCRIPTION_ACKNOWLEDGED) onNotification(method, params);
    },
  });
  const transport = await openTransport(launch, timeouts, {
    onMessage: rpc.receive,
    onLost: rpc.fail,
    onTooLarge: (id) => rpc.fail(id, new ResultTooLarge(maxResultCharacters ?? Infinity)),
    maxCharacters: maxResultCharacters,
    onLog,
    onWarning,
    trees,
    signIns: store && { store, server: name, user },
  });
  void transport.closed.then(({ message }) => rpc.end(message));

  const extension = createStartExtension(transport.pid, timeouts.init);
  const era = await performHandshake({
    rpc,
    useProtocol: transport.useProtocol,
    request: { timeoutMs: timeouts.init, extend: extension.extend, signal },
  }).catch(async (error: unknown) => {
    await transport.close();
    const { lines = [] } = await transport.closed;
    throw signal?.aborted
      ? error
      : explain(error, { ...timeouts, extendedMs: extension.extendedMs() }, lines);
  });
  void transport.closed.then(era.close);

  return {
    peer: era.peer,
    pid: transport.pid,
    closed: transport.closed,
    warnings: transport.warnings,
    request: era.request,
    notify: rpc.notify,
    async check(timeoutMs) {
      const from = process.hrtime.bigint();
      await era.check({ timeoutMs });
      return Number(process.hrtime.bigint() - from);
    },
    async close() {
      era.close();
      await transport.close();
    },
  };
}

interface StartTimes {
  readonly init: number;
  readonly extendedMs: number;
}

function explain(error: unknown, { init, extendedMs }: StartTimes, lines: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TimeoutFailure) {
    const busy =
      extendedMs === 0
        ? ''
        : `, and ${extendedMs} ms more in which it waited for a processor, because the machine is busy`;
    const sentence = `The server did not start within ${init} ms${busy}. Increase timeout_init, or check its log.`;
    return startFailure('TimeoutError', sentence, lines, error);
  }
  const message = messageOf(error);
  const sentence =
    error instanceof Malformed ? `The server returned a malformed handshake: ${message}.` : message;
  return startFailure('UpstreamError', sentence, lines, error);
}
