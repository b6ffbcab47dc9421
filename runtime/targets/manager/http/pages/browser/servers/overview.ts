import type { Static } from 'typebox';
import type { serverOverviewBody } from '#manager/http/schemas/admin.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { confirmAction } from '#serve/http/pages/browser/components/dialog.ts';
import { facts, figures } from '#serve/http/pages/browser/components/facts.ts';
import { failed } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { bytes, count, dateTime, duration, percent } from '#serve/http/pages/browser/format.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { admin, readCaller } from '../shared/caller.ts';
import { button, healthBadge, phaseBadge } from '../shared/parts.ts';
import { serverHead } from './head.ts';
import { signInPart } from './sign-in.ts';

type Overview = Static<typeof serverOverviewBody>;

const REFRESH_MS = 3000;

/** One server: its state, its calls, and its resource usage. */
export async function showServer(place: Place) {
  const { root, params, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  const shown = element('div', { class: 'page' });
  const problem = element('div');

  const draw = async () => {
    const { data } = await session.call<Overview>(admin('servers', name), { signal });
    shown.replaceChildren(...parts(data));
    return data;
  };
  const first = await draw();
  const restart = button(
    'Restart',
    async () => {
      problem.replaceChildren();
      await confirmAction({
        title: `Restart ${name}?`,
        words:
          'Running calls finish first. If the new process does not start, the current process keeps running.',
        action: {
          name: 'Restart',
          run: async () => {
            await session.call(admin('servers', name, 'restart'), { method: 'POST' });
            await draw();
          },
        },
      });
    },
    'quiet',
  );
  root.append(
    serverHead(place, '', caller),
    element(
      'div',
      { class: 'actions' },
      ...(caller.adminReadOnly ? [] : [restart]),
      // The page prompts for the key again, because secrets belong to the person at this browser.
      ...(first.instances
        ? [
            element(
              'a',
              { href: 'secrets', target: '_blank', rel: 'noopener' },
              'Your secrets (opens a new tab)',
            ),
          ]
        : []),
    ),
    problem,
    shown,
  );
  // Whether a sign-in is required is only known once the server has required one.
  if (first.signIn !== undefined) root.append(await signInPart(place));

  const timer = setInterval(() => {
    if (document.hidden) return;
    draw().then(
      () => problem.replaceChildren(),
      (error) => {
        if (!signal.aborted && error instanceof ServerError) problem.replaceChildren(failed(error));
      },
    );
  }, REFRESH_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

function parts(server: Overview) {
  const { calls, usage } = server;
  return [
    figures([
      { name: 'Calls', value: count(calls.calls), note: `${count(calls.failed)} failed` },
      {
        name: 'Median duration',
        value: duration(calls.p50Ms),
        note: `p95 ${duration(calls.p95Ms)}, p99 ${duration(calls.p99Ms)}`,
      },
      { name: 'Restarts', value: count(server.restarts) },
      ...(usage
        ? [
            {
              name: 'Memory',
              value: bytes(usage.memoryBytes),
              note: usage.processes === 1 ? '1 process' : `${count(usage.processes)} processes`,
            },
            {
              name: 'CPUs in use',
              value: usage.processors === undefined ? '–' : percent(usage.processors),
              note: `${duration(usage.cpuSeconds * 1000)} in total`,
            },
          ]
        : []),
    ]),
    facts([
      ['State', phaseBadge(server.phase)],
      ['Health', healthBadge(server.status)],
      ...optional('Reason', server.reason),
      ...(server.nextStartAt ? [['Next start', dateTime(server.nextStartAt)] as const] : []),
      ['Kind', KINDS[server.kind] ?? server.kind],
      ...optional('Starts', server.start),
      ...optional('Server', server.server),
      ...optional('MCP version', server.protocolVersion),
      ...(server.instances
        ? [['Users', `${count(server.instances.running)} of at most ${count(server.instances.max)}`] as const]
        : []),
      ...(server.pid ? [['Process', String(server.pid)] as const] : []),
      ...(server.startedAt ? [['Started', dateTime(server.startedAt)] as const] : []),
      ['Last check', dateTime(server.lastChecked)],
      ...(server.listsReadAt
        ? [['Lists for clients while stopped', dateTime(server.listsReadAt)] as const]
        : []),
      ...optional('Check duration', checkDuration(server.latency)),
      ['Running and queued calls', `${server.running} running, ${server.queued} queued`],
      ['Latest call', dateTime(calls.lastCalledAt)],
      ['Pinned tools', server.pinned ? 'yes' : 'no'],
    ]),
    ...output(server.reasonLines),
    ...list('Warnings', server.warnings),
    ...list(
      'Tools that differ from their pins',
      server.changedTools?.map(({ tool, change }) => `${tool} (${change})`),
    ),
    ...list(
      'Other items that differ from their pins',
      server.changedItems?.map(({ kind, name, change }) => `${kind} ${name} (${change})`),
    ),
  ];
}

const UNITS: Record<string, number> = { ns: 1e-6, µs: 0.001, ms: 1, s: 1000 };

/** A duration in the API's format, e.g. `1.234567ms`. */
function checkDuration(text: string | undefined) {
  const [, value, unit = ''] = /^([\d.]+)([nµm]?s)$/.exec(text ?? '') ?? [];
  return value === undefined ? text : duration(Number(value) * (UNITS[unit] ?? 1));
}

const KINDS: Record<string, string> = {
  process: 'program on the manager’s machine',
  container: 'container',
  remote: 'remote server',
  unusable: 'not started: its configuration is incomplete',
};

const optional = (name: string, value: string | undefined): (readonly [string, string])[] =>
  value ? [[name, value]] : [];

/** Output of the server, or of its installation, about the reason. */
const output = (lines: readonly string[] | undefined) =>
  lines && lines.length > 0
    ? [element('h2', {}, 'Related output'), element('pre', {}, lines.join('\n'))]
    : [];

const list = (title: string, items: readonly string[] | undefined) =>
  items && items.length > 0
    ? [element('h2', {}, title), element('ul', {}, ...items.map((item) => element('li', {}, item)))]
    : [];
