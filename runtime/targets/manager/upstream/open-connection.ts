import { AppError, messageOf } from '../../../contract/errors.ts';
import type { ServerSpec } from '../config/spec.ts';
import { type Connection, type ConnectionHooks, TimeoutFailure } from './connection.ts';
import { shakeHands } from './handshake.ts';
import { Malformed } from '../shapes/shape.ts';
import { LISTENING } from './listen-for-changes.ts';
import { openTransport } from './open-transport.ts';
import { createRpcPeer } from './rpc-peer.ts';

/**
 * Starts or reaches one server and agrees with it on a protocol. Rejects with an AppError that says what went wrong, or with
 * the signal's reason; nothing is left running then.
 */
export async function openConnection(
  { launch, timeouts }: ServerSpec,
  { onNotification, onLog }: ConnectionHooks,
  signal?: AbortSignal,
): Promise<Connection> {
  signal?.throwIfAborted();
  const rpc = createRpcPeer({
    send: (message) => transport.send(message),
    cancel: (id, reason) => transport.cancel(id, reason),
    onNotification(method, params) {
      if (method !== LISTENING) onNotification(method, params);
    },
  });
  const transport = await openTransport(launch, timeouts, {
    onMessage: rpc.take,
    onLost: rpc.lose,
    onLog,
  });
  void transport.closed.then(({ message }) => rpc.end(message));

  const era = await shakeHands({
    rpc,
    useProtocol: transport.useProtocol,
    request: { timeoutMs: timeouts.init, signal },
  }).catch(async (error: unknown) => {
    await transport.close();
    throw signal?.aborted ? error : startFailure(error, timeouts.init);
  });
  void transport.closed.then(era.close);

  return {
    peer: era.peer,
    pid: transport.pid,
    closed: transport.closed,
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

function startFailure(error: unknown, initMs: number): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TimeoutFailure) {
    return new AppError(
      'TimeoutError',
      `The server did not get ready within ${initMs} ms. Give it longer, or look at its log.`,
      { cause: error },
    );
  }
  const message = messageOf(error);
  const sentence =
    error instanceof Malformed ? `The server's answer to the handshake is malformed: ${message}.` : message;
  return new AppError('UpstreamError', sentence, { cause: error });
}
