import type { Calls } from './call.ts';
import type { Ask } from './ask.ts';
import type { ListPatience } from './list-reader.ts';
import { LIST_QUESTIONS } from './list-questions.ts';
import { mayCall, mayList } from './offered.ts';
import type { ServerLists } from './server-lists.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** A server without an answer by then is left out: it must not delay the lists of others. */
const DEFAULT_PATIENCE: ListPatience = { startMs: 10_000, listMs: 5000 };

/** Lists that are part of a list over all servers. */
export function listAllCalls(ask: Ask, lists: ServerLists, catalogue: ToolCatalogue): Pick<Calls, 'listAll'> {
  return {
    listAll({ list, maxWaitMs, ...call }) {
      const { signal, caller } = call;
      const patience = limited(DEFAULT_PATIENCE, maxWaitMs);
      // One request for all readers needs no turn of its own, and calls that wait for the server must not delay lists.
      return ask(call, { ...LIST_QUESTIONS[list], takesTurn: false }, async (visit) => {
        const { server, timeLeft } = visit;
        if (list === 'tools') {
          const tools = await catalogue.tools(visit, { signal, patience });
          return tools.filter((tool) => mayCall(caller, server.name, tool));
        }
        const { items } = await lists.read(server, list, { timeLeft, signal, patience });
        return items.filter((item) => mayList(caller, server.spec(), list, item));
      });
    },
  };
}

const limited = ({ startMs, listMs }: ListPatience, maxWaitMs = Infinity): ListPatience => ({
  startMs: Math.min(startMs, maxWaitMs),
  listMs: Math.min(listMs, maxWaitMs),
});
