import type { Json } from '../shapes/chat.ts';
import type { UpstreamBody } from './upstream.ts';
import type { Duplex } from 'node:stream';
import type { MemberEdits } from '../../shared/json-members.ts';
import type { EventDecoder, StreamSyntax } from '../streams/stream.ts';
import type { KeyedCall } from './keys/key-state.ts';

/** A request for an object that the provider stores: a file, a batch or a response. */
export interface ObjectCall extends Omit<KeyedCall, 'bytes'> {
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
  /** The name of the key that was used, at a provider that has several. */
  readonly providerKey?: string | undefined;
}

/** A response that is forwarded as it arrives. */
interface OpenedAnswer {
  readonly kind: 'opened';
  readonly type: string;
  readonly body: UpstreamBody;
}

/** Calls the API for objects that a provider stores. */
export interface ProviderObjects<Failed> {
  call(call: ObjectCall): Promise<ObjectAnswer | Failed>;
  open(call: ObjectCall): Promise<OpenedAnswer | Failed>;
}

export interface RealtimeCall extends Omit<KeyedCall, 'bytes' | 'model'> {
  /** The provider's name for the model. */
  readonly model: string;
  /** Client headers to pass to the provider, for example `openai-beta`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface OpenedSocket {
  readonly kind: 'socket';
  readonly socket: Duplex;
  /** Maximum number of bytes per frame. */
  readonly maxFrameBytes: number;
  /** The name of the key that was used, at a provider that has several. */
  readonly providerKey?: string | undefined;
}

/** Names of the routes whose requests and responses pass through unchanged. */
export type RelayRoute =
  | 'moderations'
  | 'rerank'
  | 'image_generations'
  | 'audio_transcriptions'
  | 'audio_translations'
  | 'audio_speech';

/** A provider route that requests are relayed to. */
export interface Relay {
  readonly path: (model: string) => string;
  /**
   * The name of the list that a response must contain; without the list, the response is invalid and is not
   * billed. Undefined if responses are not JSON or do not have to contain a list.
   */
  readonly requiredList?: string | undefined;
  /** Types of the events that a streamed response can contain. */
  readonly events?: { readonly decoder: EventDecoder<unknown>; readonly syntax: StreamSyntax } | undefined;
  /** Whether responses can be of any type and are forwarded as they arrive. */
  readonly isRaw?: boolean | undefined;
  /** Request members that the provider's API does not support. */
  readonly edits?: MemberEdits | undefined;
}
