import type { MemberEdits } from '../../shared/json-members.ts';
import type { EventEncoder, StreamWords } from '../streams/stream.ts';
import type { ChatCompletion, ChatRequest, Json } from '../shapes/chat.ts';

/** What an answer says of itself, where the provider does not. */
export interface AnswerFacts {
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
}

/** A wire that clients speak, next to the inner shape. */
export interface ClientWire {
  /** Throws an InputError for what the inner shape has no word for. */
  toChat(body: Json): ChatRequest;
  fromChat(answer: ChatCompletion, request: Json): Json;
  /** For one stream. */
  encoder(request: Json, facts: AnswerFacts): EventEncoder;
  readonly words: StreamWords;
  /** What to change in an answer or event of this wire so that it names another model; undefined if it names none. */
  renames(json: Json, model: string): MemberEdits | undefined;
}
