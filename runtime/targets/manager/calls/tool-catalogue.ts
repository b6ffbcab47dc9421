import type { Clock } from '../../../platform/clock.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { Supervisor } from '../supervisor/api.ts';
import { waitFor } from '../../../platform/wait-for.ts';
import { type Connection, TimeoutFailure } from '../upstream/connection.ts';
import type { ServerCall, UpstreamTool } from './api.ts';
import { isMethodNotFound } from './failures.ts';
import { listAllPages } from './list-pages.ts';
import { isOffered, isToolOffered } from './offered.ts';
import { SharedWork } from './shared-work.ts';
import type { Visit } from './visit.ts';

/** Names that are not known are looked up anew, but not for every call of those who guess. */
const LOOK_AGAIN_MS = 1000;

interface Catalogue {
  readonly connection: Connection;
  readonly listing: SharedWork<readonly UpstreamTool[]>;
  readonly askedAt: number;
  offer: ToolOffer | undefined;
}

/** What is offered of a server's tools by one specification. */
interface ToolOffer {
  readonly spec: ServerSpec;
  readonly askedAt: number;
  readonly tools: readonly UpstreamTool[];
  readonly byName: ReadonlyMap<string, UpstreamTool>;
  readonly byLowerName: ReadonlyMap<string, UpstreamTool>;
}

/** Knows what tools servers have, so that most calls need not ask. */
export interface ToolCatalogue {
  /** In the server's own order. */
  readonly tools: (visit: Visit, call: ServerCall) => Promise<readonly UpstreamTool[]>;
  /** By its name in any case; the exact one, if there is one. */
  readonly find: (visit: Visit, call: ServerCall, name: string) => Promise<UpstreamTool | undefined>;
}

export function createToolCatalogue(supervisor: Supervisor, clock: Clock): ToolCatalogue {
  const catalogues = new Map<string, Catalogue>();
  supervisor.subscribe((event) => {
    if (event.kind === 'notification' && event.method === 'notifications/tools/list_changed') {
      catalogues.delete(event.server);
    }
    if (event.kind === 'servers-changed') {
      for (const name of catalogues.keys()) if (!supervisor.get(name)) catalogues.delete(name);
    }
  });

  async function current({ server, connection }: Visit): Promise<Catalogue> {
    const open = await connection();
    const known = catalogues.get(server.name);
    if (known?.connection === open && !known.listing.givenUp) return known;
    const { request } = server.spec().timeouts;
    const catalogue: Catalogue = {
      connection: open,
      askedAt: clock.now(),
      offer: undefined,
      listing: new SharedWork((signal) => listTools(open, request, signal)),
    };
    catalogues.set(server.name, catalogue);
    return catalogue;
  }

  async function offer(visit: Visit, { signal }: ServerCall): Promise<ToolOffer> {
    const catalogue = await current(visit);
    const spec = visit.server.spec();
    if (catalogue.offer?.spec === spec) return catalogue.offer;
    const timeoutMs = visit.timeLeft();
    const late = (): Error => new TimeoutFailure(`The server did not list its tools within ${timeoutMs} ms.`);
    try {
      const tools = await catalogue.listing.join((listing) =>
        waitFor(listing, { clock, timeoutMs, signal, late }),
      );
      catalogue.offer = makeOffer(spec, tools, catalogue.askedAt);
      return catalogue.offer;
    } catch (error) {
      if (catalogues.get(visit.server.name) === catalogue) catalogues.delete(visit.server.name);
      throw error;
    }
  }

  return {
    tools: async (visit, call) => (await offer(visit, call)).tools,
    async find(visit, call, name) {
      const wanted = name.trim();
      if (!isOffered(visit.server.spec().tools, wanted)) return undefined;
      const first = await offer(visit, call);
      const found = pick(first, wanted);
      if (found || clock.now() - first.askedAt < LOOK_AGAIN_MS) return found;
      catalogues.delete(visit.server.name);
      return pick(await offer(visit, call), wanted);
    },
  };
}

async function listTools(
  connection: Connection,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly UpstreamTool[]> {
  if (!('tools' in connection.peer.capabilities)) return [];
  try {
    const tools = await listAllPages('tools', (cursor) =>
      connection.request('tools/list', cursor === undefined ? undefined : { cursor }, { timeoutMs, signal }),
    );
    return tools.filter((tool): tool is UpstreamTool => typeof tool['name'] === 'string');
  } catch (error) {
    if (isMethodNotFound(error)) return [];
    throw error;
  }
}

function makeOffer(spec: ServerSpec, all: readonly UpstreamTool[], askedAt: number): ToolOffer {
  const byName = new Map<string, UpstreamTool>();
  const byLowerName = new Map<string, UpstreamTool>();
  for (const tool of all) {
    if (byName.has(tool.name) || !isToolOffered(spec, tool)) continue;
    byName.set(tool.name, tool);
    const lower = tool.name.toLowerCase();
    if (!byLowerName.has(lower)) byLowerName.set(lower, tool);
  }
  return { spec, askedAt, tools: [...byName.values()], byName, byLowerName };
}

const pick = ({ byName, byLowerName }: ToolOffer, name: string): UpstreamTool | undefined =>
  byName.get(name) ?? byLowerName.get(name.toLowerCase());
