import type { ServerSpec } from '../config/spec.ts';
import type { Connection } from '../upstream/connection.ts';
import type { ServerParts } from './parts.ts';
import type { WritableServerLogs } from './server-logs.ts';
import { Session } from './session.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { DEFAULT_EXTENSIONS } from '../upstream/extensions.ts';

/** Time after which a server that is still starting no longer delays the start of others. */
const START_TURN_MS = 5000;

export interface SessionStart {
  readonly signal: AbortSignal;
  /** Receives the status of the package installation, and undefined when the process starts. */
  readonly onInstalling?: ((progress: string | undefined) => void) | undefined;
}

/** Opens a server session: installs the server's package, starts the server, and connects its log and notifications. */
export async function openSession(
  spec: ServerSpec,
  parts: ServerParts,
  logs: WritableServerLogs,
  start: SessionStart,
): Promise<Session> {
  let session: Session | undefined;
  const leave = await parts.instances?.enter(start.signal, (reason) => start.onInstalling?.(reason));
  if (leave) start.onInstalling?.(undefined);
  const open = (): Promise<Connection> =>
    parts.open(
      spec,
      {
        user: parts.user,
        currentUser: parts.currentUser,
        onLog: logs.fromServer,
        onWarning: (text) => logs.fromManager('warn', text),
        onNotification(method, params) {
          if (session) session.signsOfLife += 1;
          // A log message about the call of one user must not reach the clients of others.
          if (method === 'notifications/message' && sharesConnection(spec)) return;
          parts.emit({ kind: 'notification', server: spec.name, method, params });
        },
      },
      start.signal,
    );
  try {
    await install(spec, parts, logs, start);
    session = new Session(await inTurn(spec, parts, start.signal, open), parts.clock);
  } catch (error) {
    leave?.();
    throw error;
  }
  if (leave) void session.closed.then(leave);
  warnAboutExtensions(spec, session.peer.capabilities, logs);
  return session;
}

/** Whether calls of different users, with their own headers, use one connection. */
const sharesConnection = ({ launch }: ServerSpec): boolean =>
  launch.kind === 'remote' && launch.callHeaders !== undefined;

/** The extensions that were reported in each log. */
const reported = new WeakMap<WritableServerLogs, Set<string>>();

/** Logs which of a server's protocol extensions are not passed on, once per extension. */
function warnAboutExtensions(
  { extensions = DEFAULT_EXTENSIONS }: ServerSpec,
  capabilities: ShapeOfParams,
  logs: WritableServerLogs,
): void {
  const known = reported.get(logs) ?? new Set();
  reported.set(logs, known);
  const dropped = Object.keys(membersOf(capabilities['extensions'])).slice(0, MAX_EXTENSIONS);
  for (const name of dropped.filter((one) => !extensions.includes(one) && !known.has(one))) {
    known.add(name);
    logs.fromManager(
      'warn',
      `the extension ${JSON.stringify(name.slice(0, 200))} is not passed on; allow it with \`extensions\``,
    );
  }
}

/** Maximum number of extensions per server that are reported. */
const MAX_EXTENSIONS = 20;

/** Waits until the package is installed. Aborting only ends the wait: an installation is never interrupted halfway. */
async function install(
  { launch, timeouts }: ServerSpec,
  { installer }: ServerParts,
  logs: WritableServerLogs,
  { signal, onInstalling }: SessionStart,
): Promise<void> {
  if (!installer || launch.kind !== 'process' || !launch.installation) return;
  let isLogged = false;
  const done = installer.install(launch, {
    timeoutMs: timeouts.install,
    onWarning: (text) => logs.fromManager('warn', text),
    onProgress(text) {
      onInstalling?.(text);
      if (!isLogged) logs.fromManager('info', text);
      isLogged = true;
    },
  });
  await unlessAborted(done, signal);
  if (isLogged) logs.fromManager('info', `installed ${launch.installation.label}`);
  onInstalling?.(undefined);
}

/**
 * Waits for a slot to start a process: if all processes started at the same time, all would be slow and miss
 * their startup timeouts.
 */
async function inTurn(
  { launch }: ServerSpec,
  { starts, clock, installer }: ServerParts,
  signal: AbortSignal,
  open: () => Promise<Connection>,
): Promise<Connection> {
  if (launch.kind !== 'process') return await open();
  const turn = starts.ask();
  if (turn.kind === 'refused') return await open();
  let forget: (() => void) | undefined;
  try {
    if (turn.kind === 'waiting') await unlessAborted(turn.granted, signal);
    forget = clock.after(START_TURN_MS, turn.leave);
    return await open();
  } catch (error) {
    if (!signal.aborted) installer?.distrust(launch);
    throw error;
  } finally {
    forget?.();
    turn.leave();
  }
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    promise.catch(() => undefined);
  }
}
