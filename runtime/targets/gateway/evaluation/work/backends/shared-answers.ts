import { sha256 } from '#platform/sha256.ts';
import type { AnswerStore, Backend } from '../work.ts';
import type { Chat, ChatReply, BackendModel } from './backend.ts';

/**
 * A model with shared responses: a request with the same model, messages and parameters as an earlier one
 * gets the earlier response. Concurrent identical requests wait for the first one.
 */
export function withSharedAnswers(
  model: BackendModel,
  backend: Backend,
  store: AnswerStore | undefined,
  repeat = 1,
): BackendModel {
  const { chat } = model;
  return chat && store
    ? {
        ...model,
        chat: sharedChat(chat, { ...backend, secretName: null, ...(repeat > 1 && { repeat }) }, store),
      }
    : model;
}

/** `identity` is everything besides messages and parameters that responses depend on. */
function sharedChat(chat: Chat, identity: object, store: AnswerStore): Chat {
  /** Responses that the store does not return yet. */
  const asked = new Map<string, Promise<ChatReply>>();
  const forget = (key: string, reply: Promise<ChatReply>): void => {
    if (asked.get(key) === reply) asked.delete(key);
  };
  const answer = async (
    [messages, generation, signal, isUsable]: Parameters<Chat>,
    key: string,
    onKept: () => void,
  ): Promise<ChatReply> => {
    const kept = await store.find(key);
    if (kept) {
      onKept();
      return { ...kept, isShared: true };
    }
    const reply = await chat(messages, generation, signal, isUsable);
    const { isShared: _, ...answered } = reply;
    if (isUsable?.(reply) === false) onKept();
    else void store.keep(key, answered).finally(onKept);
    return reply;
  };
  return async (...request) => {
    const [messages, generation, , isUsable] = request;
    const key = sha256(JSON.stringify([identity, messages, generation]));
    let seen: Promise<ChatReply> | undefined;
    for (let first = asked.get(key); first && first !== seen; first = asked.get(key)) {
      seen = first;
      const reply = await first.catch(() => undefined);
      if (reply && isUsable?.(reply) !== false) return { ...reply, isShared: true };
    }
    const reply = answer(request, key, () => forget(key, reply));
    asked.set(key, reply);
    reply.catch(() => forget(key, reply));
    return await reply;
  };
}
