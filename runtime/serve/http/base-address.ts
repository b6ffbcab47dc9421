import type { Context } from 'hono';
import {
  type AddressedRequest,
  createOwnAddress,
  type OwnAddressOptions,
  socketAddress,
} from './own-address.ts';

/** The environment that `@hono/node-server` passes with a request. */
interface NodeEnv {
  readonly incoming?: { readonly socket?: AddressedRequest['socket'] };
}

/** Returns a base URL of the server, for example `https://tools.example:8443`. */
export type BaseAddress = (c: Context) => string;

export interface BaseAddresses {
  /** For links. If nothing but the request names its host, the address at which the connection arrived. */
  readonly link: BaseAddress;
  /** For what must not leave this server, as the code of a sign-in; undefined if nothing but the request names its host. */
  readonly known: (c: Context) => string | undefined;
}

/** Creates the functions that return the base URL of the server for a request. */
export function createBaseAddresses(options: OwnAddressOptions): BaseAddresses {
  const ownAddress = createOwnAddress(options);
  const known = (c: Context): string | undefined => ownAddress(requestOf(c));
  return { known, link: (c) => known(c) ?? socketAddress(requestOf(c)) ?? 'http://localhost' };
}

function requestOf(c: Context): AddressedRequest {
  const bindings: NodeEnv | undefined = c.env;
  const [scheme, , host = 'localhost'] = c.req.url.split('/', 3);
  return {
    scheme: scheme === 'https:' ? 'https' : 'http',
    headers: { get: (name) => c.req.header(name) ?? (name === 'host' ? host : null) },
    socket: bindings?.incoming?.socket,
  };
}
