import type { OpenItems } from '../../../core/limits/open-items.ts';
import { RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { Asker } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import type { RpcMessage } from './rpc-message.ts';
import { askClient, chooseAsker, type Question } from './server-questions.ts';

/** A request to the server that has no answer yet. */
export interface OpenRequest {
  readonly asker: Asker | undefined;
  /** Stops its time until the function it returns is called. */
  readonly hold: () => () => void;
}

export interface QuestionDeskOptions {
  readonly send: (message: RpcMessage) => void;
  readonly open: Pick<OpenItems<unknown, OpenRequest>, 'get' | 'values'>;
}

/** Gives what a server asks to the client it is about, and the server an answer in any case. */
export interface QuestionDesk {
  /** `related` is the id of the request that the question came with, if that is known. */
  answer(id: RpcMessage['id'], question: Question, related: number | undefined): Promise<void>;
  /** The server does not want to know any more. */
  cancel(id: unknown): void;
  end(): void;
}

export function createQuestionDesk({ send, open }: QuestionDeskOptions): QuestionDesk {
  const asked = new Map<unknown, AbortController>();
  const pass = async (
    question: Question,
    related: number | undefined,
    stop: AbortSignal,
  ): Promise<Params> => {
    const inFlight = open.values().flatMap(({ asker }) => asker ?? []);
    const asker = chooseAsker(question.method, open.get(related)?.asker, inFlight);
    const release = open
      .values()
      .filter((request) => request.asker?.client === asker.client)
      .map((request) => request.hold());
    try {
      return await askClient(asker, question, stop);
    } finally {
      for (const resume of release) resume();
    }
  };
  return {
    async answer(id, question, related) {
      if (question.method === 'ping') return send({ jsonrpc: '2.0', id, result: {} });
      const stop = new AbortController();
      asked.set(id, stop);
      try {
        const result = await pass(question, related, stop.signal);
        if (!stop.signal.aborted) send({ jsonrpc: '2.0', id, result });
      } catch (error) {
        const { code, message, data } = RpcError.from(error);
        if (!stop.signal.aborted) {
          send({ jsonrpc: '2.0', id, error: { code, message, data } });
        }
      } finally {
        asked.delete(id);
      }
    },
    cancel: (id) => asked.get(id)?.abort(),
    end() {
      for (const stop of asked.values()) stop.abort();
    },
  };
}
