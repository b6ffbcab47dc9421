/** @import { Place } from '../start-app.js' */
import { confirmAction } from '../components/dialog.js';
import { facts, figures } from '../components/facts.js';
import { failed } from '../components/states.js';
import { element } from '../dom.js';
import { bytes, count, dateTime, duration, percent } from '../format.js';
import { ServerError } from '../server.js';
import { admin } from '../shared/api.js';
import { button } from '../shared/button.js';
import { readCaller } from '../shared/caller.js';
import { healthBadge, phaseBadge } from '../shared/phase.js';
import { serverHead } from './head.js';
import { signInPart } from './sign-in.js';

const REFRESH_MS = 3000;

/**
 * One server: its state, its calls, and what its processes use.
 * @param {Place} place
 */
export async function showServer(place) {
  const { root, params, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  const shown = element('div', { class: 'page' });
  const problem = element('div');

  const draw = async () => {
    const { data } = await session.call(admin('servers', name), { signal });
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
          'Calls that are running are finished first. If the server does not start, the current process keeps running.',
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
    element('div', { class: 'actions' }, ...(caller.adminReadOnly ? [] : [restart])),
    problem,
    shown,
  );
  // Only known once the server has required it.
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

/** @param {any} server */
function parts(server) {
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
              name: 'Processors in use',
              value: usage.processors === undefined ? '–' : percent(usage.processors),
              note: `${duration(usage.cpuSeconds * 1000)} in all`,
            },
          ]
        : []),
    ]),
    facts([
      ['State', phaseBadge(server.phase)],
      ['Health', healthBadge(server.status)],
      ...optional('Reason', server.reason),
      ...(server.nextStartAt ? [/** @type {const} */ (['Next start', dateTime(server.nextStartAt)])] : []),
      ['Kind', KINDS[server.kind] ?? server.kind],
      ...optional('Starts', server.start),
      ...optional('Server', server.server),
      ...optional('MCP version', server.protocolVersion),
      ...(server.pid ? [/** @type {const} */ (['Process', String(server.pid)])] : []),
      ...(server.startedAt ? [/** @type {const} */ (['Started', dateTime(server.startedAt)])] : []),
      ['Last check', dateTime(server.lastChecked)],
      ...optional('Duration of the check', checkDuration(server.latency)),
      ['Running and queued calls', `${server.running} running, ${server.queued} queued`],
      ['Latest call', dateTime(calls.lastCalledAt)],
      ['Pinned tools', server.pinned ? 'yes' : 'no'],
    ]),
    ...output(server.reasonLines),
    ...list('Warnings', server.warnings),
    ...list(
      'Tools that differ from their pins',
      server.changedTools?.map((/** @type {any} */ { tool, change }) => `${tool} (${change})`),
    ),
  ];
}

/** @type {Record<string, number>} */
const UNITS = { ns: 1e-6, µs: 0.001, ms: 1, s: 1000 };

/**
 * A duration of the API, e.g. `1.234567ms`.
 * @param {string | undefined} text
 */
function checkDuration(text) {
  const [, value, unit = ''] = /^([\d.]+)([nµm]?s)$/.exec(text ?? '') ?? [];
  return value === undefined ? text : duration(Number(value) * (UNITS[unit] ?? 1));
}

/** @type {Record<string, string>} */
const KINDS = {
  process: 'program on the machine of the manager',
  container: 'container',
  remote: 'remote server',
  unusable: 'not started: its configuration is incomplete',
};

/**
 * @param {string} name
 * @param {string | undefined} value
 * @returns {(readonly [string, string])[]}
 */
const optional = (name, value) => (value ? [[name, value]] : []);

/**
 * Lines of the server, or of its installation, about the reason.
 * @param {readonly string[] | undefined} lines
 */
const output = (lines) =>
  lines && lines.length > 0
    ? [element('h2', {}, 'Output about the reason'), element('pre', {}, lines.join('\n'))]
    : [];

/**
 * @param {string} title
 * @param {readonly string[] | undefined} items
 */
const list = (title, items) =>
  items && items.length > 0
    ? [element('h2', {}, title), element('ul', {}, ...items.map((item) => element('li', {}, item)))]
    : [];
