import { isPerUser } from '../config/is-per-user.ts';
import { serverName } from '../config/server-name.ts';
import type { Params } from '../shapes/shape.ts';
import type { Supervisor } from '../supervisor/managed-server.ts';
import type { Calls } from './call.ts';
import type { CatalogTool } from './catalog-tool.ts';
import type { RunCall } from './run-call.ts';
import type { ListWaitLimits } from './list-reader.ts';
import { LIST_CALL_INFO } from './list-call-info.ts';
import { canCall, canList } from './permissions.ts';
import type { ServerLists } from './server-lists.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** Default time limits of lists over all servers. A slower server is omitted, so that it does not delay the others. */
const DEFAULT_WAIT_LIMITS: ListWaitLimits = { startMs: 10_000, listMs: 5000 };

/** Creates the calls for lists over all servers. */
export function listAllCalls(
  runCall: RunCall,
  lists: ServerLists,
  catalog: ToolCatalog,
  supervisor: Pick<Supervisor, 'get'>,
): Pick<Calls, 'listAll' | 'listed'> {
  return {
    listed({ caller, server: name, list, maxAgeMs }) {
      const server = caller.canUse(serverName(name)) ? supervisor.get(name) : undefined;
      // Whether a user is signed in is checked with a request.
      if (!server || isPerUser(server.spec())) return undefined;
      if (list === 'tools')
        return catalog
          .current(server)
          ?.filter((tool) => canCall(caller, server.name, tool))
          .map(shownTool);
      const items = lists.current(server, list, maxAgeMs)?.items;
      return items?.filter((item) => canList(caller, server.spec(), list, item));
    },
    listAll({ list, maxWaitMs, maxAgeMs, ...call }) {
      const { signal, caller } = call;
      const waitLimits = limited(DEFAULT_WAIT_LIMITS, maxWaitMs);
      // Readers share one request, so it needs no turn, and queued calls must not delay lists.
      return runCall(call, { ...LIST_CALL_INFO[list], takesTurn: false }, async (context) => {
        const { server, timeLeft } = context;
        if (list === 'tools') {
          const tools = await catalog.tools(context, { signal, waitLimits });
          return tools.filter((tool) => canCall(caller, server.name, tool)).map(shownTool);
        }
        const { items } = await lists.read(server, list, { timeLeft, signal, waitLimits, maxAgeMs });
        return items.filter((item) => canList(caller, server.spec(), list, item));
      });
    },
  };
}

const shownTool = ({ shown }: CatalogTool): Params => shown;

const limited = ({ startMs, listMs }: ListWaitLimits, maxWaitMs = Infinity): ListWaitLimits => ({
  startMs: Math.min(startMs, maxWaitMs),
  listMs: Math.min(listMs, maxWaitMs),
});
