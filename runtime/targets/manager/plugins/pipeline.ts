import { AppError, messageOf } from '#contract/errors.ts';
import type { Logger } from '#serve/log.ts';
import { changeRequest, changeResponse, checkAnswer } from './change.ts';
import type { PluginAnswer, PluginRequest, PluginResponse } from './exchange.ts';
import type { OpenPlugin } from './open-plugin.ts';
import type { PluginRunner } from './plugin-runner.ts';
import {
  CATEGORY_RULES,
  type CategoryRules,
  PLUGIN_CATEGORIES,
  type PluginFlow,
} from '../config/plugin-settings.ts';

/** The outcome of all plugins: the processed message, or the answer of a plugin that rejected it. */
type Outcome<Message> = { readonly message: Message } | { readonly rejection: PluginAnswer };

export interface Pipeline {
  request(request: PluginRequest, requestId: string): Promise<Outcome<PluginRequest>>;
  response(response: PluginResponse, requestId: string): Promise<Outcome<PluginResponse>>;
}

interface Flow<Message> {
  readonly name: PluginFlow;
  readonly failure: string;
  readonly call: (plugin: OpenPlugin, message: Message) => Promise<PluginAnswer>;
  readonly change: (message: Message, answer: PluginAnswer) => Message;
}

/** The error message for clients if a response cannot be processed. */
export const RESPONSE_FAILURE = 'Response processing failed';

const REQUEST: Flow<PluginRequest> = {
  name: 'request',
  failure: 'Request processing failed',
  call: (plugin, request) => plugin.handleRequest(request),
  change: changeRequest,
};

const RESPONSE: Flow<PluginResponse> = {
  name: 'response',
  failure: RESPONSE_FAILURE,
  call: (plugin, response) => plugin.handleResponse(response),
  change: changeResponse,
};

/** Runs plugins by category. Rejects with an InternalError if a required plugin fails; its cause is only logged. */
export function createPipeline(runners: readonly PluginRunner[], log: Logger): Pipeline {
  const categories = PLUGIN_CATEGORIES.map((category) => ({
    rules: CATEGORY_RULES[category],
    runners: runners.filter(({ spec }) => spec.category === category),
  }));

  const pass = async <Message>(
    first: Message,
    flow: Flow<Message>,
    requestId: string,
  ): Promise<Outcome<Message>> => {
    let message = first;
    for (const { rules, runners } of categories) {
      const active = runners.filter((runner) => runner.handles(flow.name));
      for (const group of rules.parallel ? [active] : active.map((runner) => [runner])) {
        const current = message;
        const results = await Promise.allSettled(group.map((runner) => call(runner, current, flow)));
        for (const [at, { spec }] of group.entries()) {
          const { answer, reason } = resultOf(results[at], spec.required);
          const context = { requestId, plugin: spec.name, flow: flow.name };
          if (!answer) log.warn({ ...context, reason }, 'plugin failed');
          else if (answer.continue) message = rules.canChange ? flow.change(message, answer) : message;
          else if (canReject(rules, spec.required)) {
            log.info({ ...context, status: answer.statusCode }, 'plugin rejected the message');
            return { rejection: answer };
          } else log.warn(context, 'rejection ignored: the plugin is not required and can only observe');
        }
      }
    }
    return { message };
  };
  return {
    request: (request, requestId) => pass(request, REQUEST, requestId),
    response: (response, requestId) => pass(response, RESPONSE, requestId),
  };
}

async function call<Message>(
  runner: PluginRunner,
  message: Message,
  flow: Flow<Message>,
): Promise<PluginAnswer> {
  try {
    const answer = await flow.call(runner.plugin(), message);
    checkAnswer(answer);
    return answer;
  } catch (error) {
    const { name, category } = runner.spec;
    const cause = new Error(`The ${category} plugin ${name} failed: ${messageOf(error)}`, { cause: error });
    throw new AppError('InternalError', flow.failure, { cause });
  }
}

function resultOf(
  outcome: PromiseSettledResult<PluginAnswer> | undefined,
  required: boolean,
): { readonly answer?: PluginAnswer; readonly reason?: string } {
  if (outcome?.status === 'fulfilled') return { answer: outcome.value };
  const error = AppError.from(outcome?.reason);
  if (required) throw error;
  return { reason: messageOf(error.cause) };
}

const canReject = ({ observes }: CategoryRules, required: boolean): boolean => required || !observes;
