import { parseLossless } from '#core/json/lossless-json.ts';
import { createExchangeBodyReader } from '#serve/http/body.ts';
import { disconnectSignal, type HttpAnswer, type HttpExchange } from '#serve/http/exchange/exchange.ts';
import { runAdmitted } from '#serve/run-admitted.ts';
import type { ServerCall } from '../calls/call.ts';
import type { ManagerContext } from '../context.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import type { ToolResult } from '../shapes/results.ts';
import { toolArguments } from './schemas/tools.ts';
import { type CalledTool, resultForm, toolAnswer } from './tool-answer.ts';

/** The header with which a client confirms the call of a tool, as `server/tool`, if an approval rule requires it. */
const CONFIRM_HEADER = 'x-confirm-tool';

interface ToolCall extends Pick<ServerCall, 'caller' | 'server' | 'requestId'> {
  readonly tool: string;
}

/** Calls a tool with the JSON of the request and responds with its result. A shutdown waits for the response. */
export type AnswerToolCall = (exchange: HttpExchange, call: ToolCall) => Promise<void>;

/** Reads what form of result a request asks for; returns the function that creates the response. */
type ResultForm = (exchange: HttpExchange) => (call: CalledTool, result: ToolResult) => HttpAnswer;

const requestedForm: ResultForm = (exchange) => {
  const form = resultForm(exchange);
  return (call, result) => toolAnswer(call, result, form);
};

interface ToolCallForm {
  readonly result?: ResultForm;
  /** Whether a request without a body calls the tool without arguments. */
  readonly bodyIsOptional?: boolean;
}

export function createToolCallAnswer(
  { calls, kernel }: ManagerContext,
  options: ManagerAppOptions,
  { result: resultOf = requestedForm, bodyIsOptional = false }: ToolCallForm = {},
): AnswerToolCall {
  const readArguments = createExchangeBodyReader({
    ...bodyOptions(options),
    ...(bodyIsOptional && { emptyMessage: undefined, emptyBody: {} }),
    parse: parseLossless,
  });
  const { redact } = options;
  return (exchange, call) =>
    runAdmitted(kernel.lifecycle, async () => {
      const args = await readArguments(exchange, toolArguments);
      // Checked before the call, because its effects cannot be undone.
      const answer = resultOf(exchange);
      const result = await calls.callTool({
        ...call,
        args,
        headers: exchange.headers,
        confirmation: exchange.headers.get(CONFIRM_HEADER) ?? undefined,
        signal: disconnectSignal(exchange),
      });
      exchange.answer(answer({ ...call, redact }, result));
    });
}
