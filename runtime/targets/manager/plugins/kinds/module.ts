import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { AppError, configError, messageOf } from '../../../../contract/errors.ts';
import { settlesWithin } from '../../../../platform/settles-within.ts';
import { waitFor } from '../../../../platform/wait-for.ts';
import { GO_ON, type PluginAnswer, type PluginRequest, type PluginResponse } from '../exchange.ts';
import type { OpenPlugin, PluginPlace } from '../open-plugin.ts';
import type { ModuleLaunch, PluginFlow, PluginSpec } from '../../config/plugin-settings.ts';
import { errorCode } from '../../../../core/values/error-code.ts';

/** What a module may export. It knows the flows that it has a function for; returning nothing means to go on. */
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

/** Loads a JavaScript file. It runs on the thread that serves, so its functions must not take long before they wait. */
export function openModule(
  { flows: wanted, timeoutMs, config }: PluginSpec,
  { path }: ModuleLaunch,
  { baseFolder }: PluginPlace,
): OpenPlugin {
  const file = resolve(baseFolder, path);
  const module = load(file);
  const flows = wanted.filter((flow) => typeof module[HANDLERS[flow]] === 'function');
  if (flows.length === 0) {
    const missing = wanted.map((flow) => HANDLERS[flow]).join(' or ');
    throw configError(`${file} exports no ${missing}. Export it, or correct the plugin's flows.`);
  }
  const over = Promise.withResolvers<string>();
  return {
    flows,
    ended: over.promise,
    handleRequest: (request) => within(timeoutMs, async () => module.handleRequest?.(request, config)),
    handleResponse: (response) => within(timeoutMs, async () => module.handleResponse?.(response, config)),
    async close() {
      await settlesWithin(STOP_MS, Promise.resolve(module.stop?.()));
      over.resolve('It was closed.');
    },
  };
}

/** Not `import()`: an executable's own program can only `require` from the disk. That loads both kinds of modules. */
function load(file: string): PluginModule {
  try {
    const loaded: PluginModule = createRequire(file)(file);
    return loaded;
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') {
      throw configError(
        `${file} could not be found, or not what it imports. Correct the plugin's path.`,
        error,
      );
    }
    throw new AppError('ConfigError', `${file} could not be loaded: ${messageOf(error)}.`, { cause: error });
  }
}

const within = (timeoutMs: number, handle: () => Promise<unknown>): Promise<PluginAnswer> =>
  waitFor(handle().then(asAnswer), {
    timeoutMs,
    late: () => new Error(`it did not answer within ${timeoutMs} ms`),
  });

function asAnswer(returned: unknown): PluginAnswer {
  if (returned === undefined || returned === null) return GO_ON;
  const answer = returned as Partial<Omit<PluginAnswer, 'body'>> & { readonly body?: unknown };
  if (typeof answer.continue !== 'boolean') {
    throw new TypeError(
      'it returned neither nothing nor an object that says `continue: true` or `continue: false`',
    );
  }
  const { modifiedRequest: request } = answer;
  return {
    ...answer,
    continue: answer.continue,
    body: asBytes(answer.body),
    modifiedRequest: request && { ...request, body: asBytes(request.body) ?? NOTHING },
  };
}

/** Texts are what most have at hand. */
function asBytes(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  throw new TypeError('it returned a body that is neither a text nor a Uint8Array');
}
