import type { Context } from 'hono';
import type { Socket } from 'node:net';

/** A client's HTTP request as it arrived, before plugins changed it. */
export interface ReceivedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly remoteAddr: string;
}

const received = new WeakMap<Request, Request>();

/** Keeps the request that a client sent for the request that plugins replaced it with. */
export const rememberReceived = (changed: Request, original: Request): void =>
  void received.set(changed, original);

export function receivedRequest(c: Context): ReceivedRequest {
  const { url, headers } = received.get(c.req.raw) ?? c.req.raw;
  return { url, headers, remoteAddr: remoteAddress(c) };
}

/** The part of a server's bindings that contains the client's address. */
interface AddressBindings {
  readonly incoming?: { readonly socket?: Pick<Socket, 'remoteAddress'> } | undefined;
}

/** Returns the client's address without the port, because plugins use it to identify clients. */
export function remoteAddress(c: Context): string {
  const bindings: AddressBindings | undefined = c.env;
  return bindings?.incoming?.socket?.remoteAddress ?? '';
}

/** Returns bindings for a request with this client address that does not come from a server. */
export const addressBindings = (remoteAddr: string): AddressBindings => ({
  incoming: { socket: { remoteAddress: remoteAddr } },
});
