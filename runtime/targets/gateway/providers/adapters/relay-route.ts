import type { MemberEdits } from '../../shared/json-members.ts';
import type { EventDecoder, StreamSyntax } from '../streams/stream.ts';

/** Routes whose requests and answers pass through unchanged. */
export type RelayRoute =
  | 'moderations'
  | 'rerank'
  | 'image_generations'
  | 'audio_transcriptions'
  | 'audio_translations'
  | 'audio_speech';

/** A route of a provider that requests are relayed to. */
export interface Relay {
  readonly path: (model: string) => string;
  /** The list without which an answer is invalid, so that it is not billed. Undefined if answers are not JSON, or have none. */
  readonly requiredList?: string | undefined;
  /** Events that it can answer with. */
  readonly events?: { readonly decoder: EventDecoder<unknown>; readonly syntax: StreamSyntax } | undefined;
  /** Whether answers are anything, and are forwarded as they arrive. */
  readonly isRaw?: boolean | undefined;
  /** Members that its API does not have. */
  readonly edits?: MemberEdits | undefined;
}
