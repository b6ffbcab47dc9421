import type { Json } from '../shapes/chat.ts';
import type { UpstreamBody } from './http/upstream-body.ts';

/** A request about an object that the provider stores: a file, a batch or a response. */
export interface ObjectCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Uint8Array | readonly Uint8Array[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

export interface ObjectAnswer {
  readonly kind: 'object';
  readonly bytes: Uint8Array;
  readonly json: Json;
}

/** An answer that is forwarded as it arrives. */
interface OpenedAnswer {
  readonly kind: 'opened';
  readonly type: string;
  readonly body: UpstreamBody;
}

/** Objects that a provider stores. */
export interface ProviderObjects<Failed> {
  call(call: ObjectCall): Promise<ObjectAnswer | Failed>;
  open(call: ObjectCall): Promise<OpenedAnswer | Failed>;
}
