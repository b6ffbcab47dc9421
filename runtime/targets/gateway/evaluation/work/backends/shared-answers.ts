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
  const asked = new Map<string, Promise<ChatReply>>();
  const answer = async (key: string, ...[messages, generation, signal, isUsable]: Parameters<Chat>) => {
    const kept = await store.find(key);
    if (kept) return { ...kept, isShared: true };
    const reply = await chat(messages, generation, signal, isUsable);
    const { isShared: _, ...answered } = reply;
    if (isUsable?.(reply) !== false) store.keep(key, answered);
    return reply;
  };
  return async (messages, generation, signal, isUsable) => {
    const key = sha256(JSON.stringify([identity, messages, generation]));
    for (let first = asked.get(key); first; first = asked.get(key)) {
      const reply = await first.catch(() => undefined);
      if (reply && isUsable?.(reply) !== false) return { ...reply, isShared: true };
    }
    const reply = answer(key, messages, generation, signal, isUsable);
    asked.set(key, reply);
    try {
      return await reply;
    } finally {
      asked.delete(key);
    }
  };
}
