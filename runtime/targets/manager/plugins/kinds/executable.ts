import { rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { createLineSplitter } from '#serve/mcp/line-splitter.ts';
import { endGroup } from '#platform/process-group.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import { type Child, spawnChild } from '../../upstream/process/spawn-child.ts';
import type { OpenPlugin, PluginEnvironment } from '../open-plugin.ts';
import type { ExecutableLaunch, PluginSpec } from '../../config/plugin-settings.ts';
import { checkExecutable } from './check-executable.ts';
import { connectPlugin, type PluginClient } from './grpc-client.ts';
import { performHandshake } from './handshake.ts';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_LOG_LINE_BYTES = 8192;
/** Maximum length of a socket path on macOS; Linux allows slightly more. */
const MAX_SOCKET_PATH = 103;
/** Time for a plugin to finish its work after `Stop` is called, before it receives signals. */
const STOP_CALL_MS = 5000;
const AFTER_STOP_MS = 500;
const AFTER_SIGTERM_MS = 1500;

/**
 * Starts a plugin's program and performs the handshake. If the handshake fails, no processes or sockets are
 * left behind.
 */
export async function openExecutable(
  spec: PluginSpec,
  { dir, commitHash }: ExecutableLaunch,
  { baseFolder, socketFolder, env, startTimeoutMs, onLog }: PluginEnvironment,
  signal: AbortSignal,
): Promise<OpenPlugin> {
  const command = resolve(baseFolder, dir, spec.name);
  await checkExecutable(command);
  const deadline = performance.now() + startTimeoutMs;
  const socket = socketIn(socketFolder);
  const child = await spawnChild({
    kind: 'process',
    command,
    args: ['--address', socket, '--network', 'unix'],
    env: withoutServerVariables(env),
  });
  drain(child, onLog);
  const client = connectPlugin(socket);
  const cleanUp = async (): Promise<void> => {
    client.disconnect();
    await rm(socket, { force: true });
  };
  const ended = child.exited.then(async (how) => {
    await endGroup(child.pid, AFTER_SIGTERM_MS);
    await cleanUp();
    return `It exited with ${how}.`;
  });

  try {
    await Promise.race([waitForSocket(socket, deadline, signal), rejectWhenEnded(ended)]);
    const flows = await Promise.race([
      performHandshake(client, { spec, commitHash, deadline, signal }),
      rejectWhenEnded(ended),
    ]);
    const { calls } = client;
    const within = { timeoutMs: spec.timeoutMs };
    return {
      flows,
      ended,
      handleRequest: (request) => calls.handleRequest(request, within),
      handleResponse: (response) => calls.handleResponse({ ...response, continue: true }, within),
      async check() {
        await calls.checkHealth({}, within);
      },
      close: () => closeChild(child, client, ended),
    };
  } catch (error) {
    await endGroup(child.pid, AFTER_SIGTERM_MS);
    await ended;
    if (signal.aborted || error instanceof AppError) throw error;
    throw new AppError('UpstreamError', `It was not ready within ${startTimeoutMs} ms: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function socketIn(folder: string): string {
  if (process.platform === 'win32') {
    throw configError('Plugins of kind = "exec" are not supported on Windows. Use kind = "http" or "js".');
  }
  const path = join(folder, `${randomUUID().slice(0, 8)}.sock`);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  throw configError(`The socket path ${path} is too long. Set TMPDIR to a folder with a shorter path.`);
}

/** Returns the environment for plugins: all variables except the variables that are reserved for servers. */
function withoutServerVariables(env: PluginEnvironment['env']): Record<string, string> {
  const shared = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('MCPD__'),
  );
  return Object.fromEntries(shared);
}

function drain({ streams }: Child, onLog: (line: string) => void): void {
  for (const stream of [streams.stdout, streams.stderr]) {
    const lines = createLineSplitter(MAX_LOG_LINE_BYTES, { cut: true });
    stream.on('data', (chunk: Buffer) => {
      for (const line of lines.push(chunk)) if ('text' in line) onLog(line.text);
    });
    stream.once('end', () => {
      for (const line of lines.end()) if ('text' in line) onLog(line.text);
    });
    stream.on('error', () => undefined);
  }
  streams.stdin.on('error', () => undefined);
}

async function rejectWhenEnded(ended: Promise<string>): Promise<never> {
  throw new AppError('UpstreamError', await ended);
}

async function closeChild(
  { pid, exited }: Child,
  client: PluginClient,
  ended: Promise<string>,
): Promise<void> {
  await client.calls.stop({}, { timeoutMs: STOP_CALL_MS }).catch(() => undefined);
  // Some servers only stop after their clients have disconnected.
  client.disconnect();
  if (!(await settlesWithin(AFTER_STOP_MS, exited))) await endGroup(pid, AFTER_SIGTERM_MS);
  await ended;
}

const RETRY_MS = 20;

/** Resolves as soon as a process is listening on the socket; rejects after the deadline. */
async function waitForSocket(path: string, deadline: number, signal: AbortSignal): Promise<void> {
  while (!(await isListening(path))) {
    if (performance.now() > deadline) throw new Error('it does not listen on the socket of --address');
    await sleep(RETRY_MS, undefined, { signal });
  }
}

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
