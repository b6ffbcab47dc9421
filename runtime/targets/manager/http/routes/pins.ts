import { AppError } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { pinsPath } from '../../config/pins-file.ts';
import { serverName } from '../../config/server-name.ts';
import type { ServerSpec } from '../../config/spec.ts';
import type { ManagerContext } from '../../context.ts';
import { differenceLines } from '../../pins/difference-text.ts';
import { compareServers, removePins, writePins } from '../../pins/pin-servers.ts';
import type { ManagedServer } from '../../supervisor/managed-server.ts';
import type { ManagerAppOptions, ManagerFiles } from '../app-options.ts';
import { explained } from '../change-servers.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { compact } from '../views/compact.ts';
import { changesOf } from '../views/server-view.ts';
import { DRY_RUN, flagOf, flagParameter } from './flag-parameter.ts';
import { ITEM_PAGE_PARAMETERS, pageOfItems, slicePage, SERVER_NAME } from './operations.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { pinnedToolsBody, removedPinsBody, toolPoliciesBody } from '../schemas/pins.ts';

/** `/api/v1/admin/pins`: the servers' pinned tools, approval rules and tool overrides. */
export function pinRoutes(
  { supervisor, reloader }: ManagerContext,
  { paths, signIns, packages, readServers }: ManagerFiles,
  { guards, route }: ManagerHttpParts,
  { redact }: Pick<ManagerAppOptions, 'redact'>,
): readonly Route[] {
  const file = pinsPath(paths.config);
  async function specOf(written: string): Promise<ServerSpec> {
    const name = serverName(written);
    const found = (await explained(readServers)).find((spec) => spec.name === name);
    if (found) return found;
    throw new AppError('NotFoundError', `server not found: ${written}`);
  }

  return [
    route({
      method: 'get',
      path: '/api/v1/admin/pins',
      guard: guards.admin('some'),
      id: 'listToolPolicies',
      tag: 'Pins',
      summary: 'List the servers with pinned tools, approval rules or tool overrides.',
      parameters: [
        flagParameter('changed', 'Whether to return only servers whose items differ from their pins.'),
        ...ITEM_PAGE_PARAMETERS,
      ],
      answer: answerOf('One page of servers.', toolPoliciesBody, {
        servers: [
          {
            server: 'git',
            pinned: 12,
            onChange: 'block',
            changedTools: [{ tool: 'git_push', change: 'changed' }],
            approvals: [{ tools: ['*'], when: 'destructive', action: 'ask' }],
            overrides: [{ tool: 'git_log', rename: 'log', hidden: false, described: false }],
          },
        ],
        total: 1,
      }),
      errors: [422],
      run: (c) => {
        const caller = callerOfRequest(c);
        const isChanged = flagOf(c, 'changed');
        const found = supervisor.names().flatMap((name) => {
          const server = supervisor.get(name);
          const isShown =
            server && caller.canUse(name) && (isChanged ? hasChanges(server) : hasPolicy(server));
          return isShown ? [server] : [];
        });
        const { items, total, nextCursor } = slicePage(found, pageOfItems(c));
        return { servers: items.map(policyView), total, ...compact({ nextCursor }) };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/admin/servers/:name/pin',
      guard: guards.editor('named'),
      id: 'pinTools',
      tag: 'Pins',
      summary: 'Pin a server’s current tools, prompts and resources.',
      description:
        'Starts another instance of the server to read its items. With `dry_run`, the items are compared but not pinned.',
      parameters: [SERVER_NAME, DRY_RUN],
      answer: answerOf('The items, compared with their previous pins.', pinnedToolsBody, {
        server: 'git',
        tools: 12,
        differences: [
          {
            kind: 'tool',
            name: 'git_push',
            change: 'changed',
            members: ['description'],
            lines: ['  description:', '    - Push.'],
          },
        ],
        written: true,
      }),
      errors: [404, 422, 502],
      run: async (c) => {
        const spec = await specOf(c.req.param('name'));
        const options = { clock: systemClock, signIns, signal: c.req.raw.signal, installer: packages };
        const outcomes = await explained(() => compareServers(file, [spec], options));
        const [outcome] = outcomes;
        if (!outcome || 'failure' in outcome) {
          const reason = redact.text(outcome?.failure ?? 'it has no tools', spec.name);
          throw new AppError('UpstreamError', `Cannot read the tools of ${spec.name}: ${reason}`);
        }
        const { items, differences } = outcome;
        const isDryRun = flagOf(c, 'dry_run');
        if (!isDryRun) {
          await explained(() => writePins(file, outcomes));
          // The failure is already logged, and its cause is unrelated to the pins.
          await reloader.reload().catch(() => undefined);
        }
        return {
          server: spec.name,
          tools: Object.keys(items.lists.tools ?? {}).length,
          differences: differences.map((one) => ({
            kind: one.kind,
            name: one.name,
            change: one.change,
            members: one.members,
            // The first line contains the name.
            lines: differenceLines(spec.name, [one]).slice(1),
          })),
          written: !isDryRun,
        };
      },
    }),
    route({
      method: 'delete',
      path: '/api/v1/admin/servers/:name/pin',
      guard: guards.editor('named'),
      id: 'unpinTools',
      tag: 'Pins',
      summary: 'Remove a server’s pins.',
      parameters: [SERVER_NAME],
      answer: answerOf('Whether the server had pins.', removedPinsBody, { server: 'git', removed: true }),
      errors: [404, 422],
      run: async (c) => {
        const { name } = await specOf(c.req.param('name'));
        const removed = await explained(() => removePins(file, [name]));
        if (removed.length > 0) await reloader.reload().catch(() => undefined);
        return { server: name, removed: removed.length > 0 };
      },
    }),
  ];
}

const hasChanges = ({ pinFindings }: ManagedServer): boolean =>
  pinFindings.changes().length + pinFindings.itemChanges().length > 0;

function hasPolicy(server: ManagedServer): boolean {
  const { pins, approvals = [], toolOverrides = {} } = server.spec();
  return pins !== undefined || approvals.length > 0 || Object.keys(toolOverrides).length > 0;
}

function policyView(server: ManagedServer) {
  const { pins, approvals = [], toolOverrides = {} } = server.spec();
  return {
    server: server.name,
    pinned: Object.keys(pins?.hashes.tools ?? {}).length,
    ...compact({ onChange: pins?.onChange, ...changesOf(server) }),
    approvals: approvals.map(({ tools, when, action }) => ({ tools, ...compact({ when }), action })),
    overrides: Object.entries(toolOverrides).map(([tool, { rename, hidden, description }]) => ({
      tool,
      ...compact({ rename }),
      hidden,
      described: description !== undefined,
    })),
  };
}
