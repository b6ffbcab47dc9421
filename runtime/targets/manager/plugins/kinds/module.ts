import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { settlesWithin, waitFor } from '#platform/wait-for.ts';
import { CONTINUE, type PluginAnswer, type PluginRequest, type PluginResponse } from '../exchange.ts';
import type { OpenPlugin, PluginEnvironment } from '../open-plugin.ts';
import type { ModuleLaunch, PluginFlow, PluginSpec } from '../../config/plugin-settings.ts';
import { membersOf } from '#core/json/members-of.ts';
import { errorCode } from '#core/values/error-code.ts';

/**
 * A module's exports. It supports the flows for which it exports a function. If a function returns
 * no result, processing continues without changes.
 */
interface PluginModule {
  readonly handleRequest?: (request: PluginRequest, config: PluginSpec['config']) => unknown;
  readonly handleResponse?: (response: PluginResponse, config: PluginSpec['config']) => unknown;
  readonly stop?: () => unknown;
}

const HANDLERS = { request: 'handleRequest', response: 'handleResponse' } as const satisfies Record<
  PluginFlow,
  keyof PluginModule
>;
const STOP_MS = 2000;
const NOTHING = new Uint8Array();

/** Loads a plugin from a JavaScript file. It runs on the main thread, so its functions must not block. */
export function openModule(
  { flows: configured, timeoutMs, config }: PluginSpec,
  { path }: ModuleLaunch,
  { baseFolder }: PluginEnvironment,
): OpenPlugin {
  const file = resolve(baseFolder, path);
  const module = load(file);
  const flows = configured.filter((flow) => typeof module[HANDLERS[flow]] === 'function');
  if (flows.length === 0) {
    const missing = configured.map((flow) => HANDLERS[flow]).join(' or ');
    throw configError(`${file} does not export ${missing}. Export it, or correct flows.`);
  }
  const ended = Promise.withResolvers<string>();
  return {
    flows,
    ended: ended.promise,
    handleRequest: (request) =>
      within(timeoutMs, async () => onlyPlaced(await module.handleRequest?.(request, config))),
    handleResponse: (response) => within(timeoutMs, async () => module.handleResponse?.(response, config)),
    async close() {
      await settlesWithin(STOP_MS, Promise.resolve(module.stop?.()));
      ended.resolve('It was closed.');
    },
  };
}

/** Uses `require` for CommonJS and ES modules, because `import()` in an executable cannot load files from disk. */
function load(file: string): PluginModule {
  try {
    const loaded: PluginModule = createRequire(file)(file);
    return loaded;
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') {
      throw configError(`${file}, or a module that it imports, was not found. Correct path.`, error);
    }
    throw new AppError('ConfigError', `Cannot load ${file}: ${messageOf(error)}.`, { cause: error });
  }
}

const within = (timeoutMs: number, handle: () => Promise<unknown>): Promise<PluginAnswer> =>
  waitFor(handle().then(asAnswer), {
    timeoutMs,
    late: () => new Error(`it did not respond within ${timeoutMs} ms`),
  });

/** Fields of a request. At the top level they describe a rejection, so a plugin would change nothing without noticing. */
const REQUEST_FIELDS = ['method', 'path', 'requestUri', 'headers', 'body'];

function onlyPlaced(returned: unknown): unknown {
  const { continue: goesOn, ...fields } = membersOf(returned);
  const misplaced = goesOn === true ? REQUEST_FIELDS.filter((name) => fields[name] !== undefined) : [];
  if (misplaced.length === 0) return returned;
  throw new TypeError(
    `it returned ${misplaced.map((name) => `\`${name}\``).join(' and ')}, which change nothing in a request. Return them in \`modifiedRequest\``,
  );
}

function asAnswer(returned: unknown): PluginAnswer {
  if (returned === undefined || returned === null) return CONTINUE;
  const answer = returned as Partial<Omit<PluginAnswer, 'body'>> & { readonly body?: unknown };
  if (typeof answer.continue !== 'boolean') {
    throw new TypeError('it must return undefined or an object with `continue: true` or `continue: false`');
  }
  const { modifiedRequest: request } = answer;
  return {
    ...answer,
    continue: answer.continue,
    body: asBytes(answer.body),
    modifiedRequest: request && { ...request, body: asBytes(request.body) ?? NOTHING },
  };
}

/** Converts a body. For convenience, plugins can return a string. */
function asBytes(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  throw new TypeError('it returned a body that is not a string or Uint8Array');
}
