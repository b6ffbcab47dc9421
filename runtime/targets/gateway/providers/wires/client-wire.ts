import type { MemberEdits } from '../../shared/json-members.ts';
import type { EventEncoder, StreamSyntax } from '../streams/stream.ts';
import type { ChatCompletion, ChatRequest, Json } from '../shapes/chat.ts';

/** Facts about an answer that providers do not always report. */
export interface AnswerFacts {
  readonly model: string;
  /** Time of creation in seconds since 1970. */
  readonly created: number;
}

/** An API for clients, with translations from and to the internal format. */
export interface ClientWire {
  /** Translates a request. Throws an InputError for members that the internal format cannot express. */
  toChat(body: Json): ChatRequest;
  /** Changes to a request for a provider with this API: removes what the gateway has added to answers of other providers. */
  nativeEdits?(body: Json): MemberEdits;
  fromChat(answer: ChatCompletion, request: Json): Json;
  /** Creates an encoder for one stream. */
  encoder(request: Json, facts: AnswerFacts): EventEncoder;
  readonly syntax: StreamSyntax;
  /** Changes that rename the model in an answer or event of this API; undefined if it names no model. */
  renames(json: Json, model: string): MemberEdits | undefined;
}
