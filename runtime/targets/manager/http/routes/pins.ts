import { AppError } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { admit } from '#serve/lifecycle.ts';
import { pinsPath } from '../../config/pins-file.ts';
import { serverName } from '../../config/server-name.ts';
import type { ServerSpec } from '../../config/spec.ts';
import type { ManagerContext } from '../../context.ts';
import { differenceLines } from '../../pins/difference-text.ts';
import { compareServers, removePins, writePins } from '../../pins/pin-servers.ts';
import type { Params } from '../../shapes/shape.ts';
import type { ManagedServer } from '../../supervisor/managed-server.ts';
import type { ManagerAppOptions, ManagerFiles } from '../app-options.ts';
import { explained } from '../change-servers.ts';
import { requireAdmin, requireEditor } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { compact } from '../views/compact.ts';
import { flagOf } from './flag-parameter.ts';
import { pageOf, slicePage } from './paging.ts';
import { LIST_POLICIES, PIN, UNPIN } from './pins-operations.ts';

/** `/api/v1/admin/pins`: the pinned tools, approval rules and overrides of servers. */
export function pinRoutes(
  { kernel, supervisor, reloader }: ManagerContext,
  { paths, signIns, packages, readServers }: ManagerFiles,
  { answer }: HttpParts,
  { redact }: Pick<ManagerAppOptions, 'redact'>,
): ManagerRoutes {
  const file = pinsPath(paths.config);
  const routes = newRoutes();

  async function specOf(written: string): Promise<ServerSpec> {
    const name = serverName(written);
    const found = (await explained(readServers)).find((spec) => spec.name === name);
    if (found) return found;
    throw new AppError('NotFoundError', `server not found: ${written}`);
  }

  routes.get('/api/v1/admin/pins', (c) => {
    const caller = requireAdmin(c, 'some');
    const isChanged = flagOf(c, 'changed');
    const found = supervisor.names().flatMap((name) => {
      const server = supervisor.get(name);
      const isShown =
        server &&
        caller.canUse(name) &&
        (isChanged ? server.toolFindings.changes().length > 0 : hasPolicy(server));
      return isShown ? [server] : [];
    });
    const { items, total, nextCursor } = slicePage(found, pageOf(c));
    return answer(c, 'ToolPolicies', { servers: items.map(policyView), total, ...compact({ nextCursor }) });
  });
  routes.post('/api/v1/admin/servers/:name/pin', admit(kernel.lifecycle), async (c) => {
    requireEditor(c, { server: c.req.param('name') });
    const spec = await specOf(c.req.param('name'));
    const options = { clock: systemClock, signIns, signal: c.req.raw.signal, installer: packages };
    const outcomes = await explained(() => compareServers(file, [spec], options));
    const [outcome] = outcomes;
    if (!outcome || 'failure' in outcome) {
      const reason = redact.text(outcome?.failure ?? 'it has no tools', spec.name);
      throw new AppError('UpstreamError', `The tools of ${spec.name} cannot be read: ${reason}`);
    }
    const { tools, differences } = outcome;
    const isDryRun = flagOf(c, 'dry_run');
    if (!isDryRun) {
      await explained(() => writePins(file, outcomes));
      // A failure is in the log and has other reasons than the pins.
      await reloader.reload().catch(() => undefined);
    }
    return answer(c, 'PinnedTools', {
      server: spec.name,
      tools: Object.keys(tools).length,
      differences: differences.map((one) => ({
        tool: one.tool,
        change: one.change,
        members: one.members,
        // The first line names the tool.
        lines: differenceLines(spec.name, [one]).slice(1),
      })),
      written: !isDryRun,
    });
  });
  routes.delete('/api/v1/admin/servers/:name/pin', admit(kernel.lifecycle), async (c) => {
    requireEditor(c, { server: c.req.param('name') });
    const { name } = await specOf(c.req.param('name'));
    const removed = await explained(() => removePins(file, [name]));
    if (removed.length > 0) await reloader.reload().catch(() => undefined);
    return answer(c, 'RemovedPins', { server: name, removed: removed.length > 0 });
  });

  return { routes, operations: [LIST_POLICIES, PIN, UNPIN] };
}

function hasPolicy(server: ManagedServer): boolean {
  const { pins, approvals = [], toolOverrides = {} } = server.spec();
  return pins !== undefined || approvals.length > 0 || Object.keys(toolOverrides).length > 0;
}

function policyView(server: ManagedServer): Params {
  const { pins, approvals = [], toolOverrides = {} } = server.spec();
  return {
    server: server.name,
    pinned: Object.keys(pins?.hashes ?? {}).length,
    ...compact({ onChange: pins?.onChange, changedTools: server.toolFindings.changes() }),
    approvals: approvals.map(({ tools, when, action }) => ({ tools, ...compact({ when }), action })),
    overrides: Object.entries(toolOverrides).map(([tool, { rename, hidden, description }]) => ({
      tool,
      ...compact({ rename }),
      hidden,
      described: description !== undefined,
    })),
  };
}
