import { AppError, messageOf } from '../../../contract/errors.ts';
import type { Logger } from '../../../serve/log.ts';
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

/** What came of asking all plugins: the message as they left it, or what one of them answers instead. */
type Verdict<Message> = { readonly message: Message } | { readonly refusal: PluginAnswer };

export interface Pipeline {
  request(request: PluginRequest, requestId: string): Promise<Verdict<PluginRequest>>;
  response(response: PluginResponse, requestId: string): Promise<Verdict<PluginResponse>>;
}

interface Flow<Message> {
  readonly name: PluginFlow;
  readonly failure: string;
  readonly ask: (plugin: OpenPlugin, message: Message) => Promise<PluginAnswer>;
  readonly change: (message: Message, answer: PluginAnswer) => Message;
}

/** What the client hears of it, here and wherever else answers cannot be processed. */
export const RESPONSE_FAILURE = 'Response processing failed';

const REQUEST: Flow<PluginRequest> = {
  name: 'request',
  failure: 'Request processing failed',
  ask: (plugin, request) => plugin.handleRequest(request),
  change: changeRequest,
};

const RESPONSE: Flow<PluginResponse> = {
  name: 'response',
  failure: RESPONSE_FAILURE,
  ask: (plugin, response) => plugin.handleResponse(response),
  change: changeResponse,
};

/** Asks plugins category by category. Rejects with an InternalError if a required one fails; its cause is for the log alone. */
export function createPipeline(runners: readonly PluginRunner[], log: Logger): Pipeline {
  const categories = PLUGIN_CATEGORIES.map((category) => ({
    rules: CATEGORY_RULES[category],
    runners: runners.filter(({ spec }) => spec.category === category),
  }));

  const pass = async <Message>(
    first: Message,
    flow: Flow<Message>,
    requestId: string,
  ): Promise<Verdict<Message>> => {
    let message = first;
    for (const { rules, runners } of categories) {
      const concerned = runners.filter((runner) => runner.handles(flow.name));
      for (const group of rules.parallel ? [concerned] : concerned.map((runner) => [runner])) {
        const asked = message;
        const outcomes = await Promise.allSettled(group.map((runner) => ask(runner, asked, flow)));
        for (const [at, { spec }] of group.entries()) {
          const { answer, reason } = resultOf(outcomes[at], spec.required);
          const context = { requestId, plugin: spec.name, flow: flow.name };
          if (!answer) log.warn({ ...context, reason }, 'plugin failed');
          else if (answer.continue) message = rules.mayChange ? flow.change(message, answer) : message;
          else if (mayRefuse(rules, spec.required)) {
            log.info({ ...context, status: answer.statusCode }, 'plugin refused');
            return { refusal: answer };
          } else log.warn(context, 'plugin refused, but only observes');
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

async function ask<Message>(
  runner: PluginRunner,
  message: Message,
  flow: Flow<Message>,
): Promise<PluginAnswer> {
  try {
    const answer = await flow.ask(runner.plugin(), message);
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

const mayRefuse = ({ observes }: CategoryRules, required: boolean): boolean => required || !observes;
