import { AppError } from '#contract/errors.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Clock } from '#platform/clock.ts';
import { clientDisconnected } from '#platform/wait-for.ts';
import { createFrameSplitter, readEvent } from '#serve/event-stream/event-frames.ts';
import type { Logger } from '#serve/log.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { ForwardedStream } from '../../providers/streams/stream.ts';
import { streamError } from '../completions/call-model.ts';
import type { CompletionAnswer, CompletionRequest, Completions } from '../completions/completion.ts';
import type { Telemetry } from '../completions/telemetry.ts';
import { ENDPOINTS } from '../completions/endpoints/index.ts';
import { failedStep, runCalls, type ToolCall } from './run-calls.ts';
import type { ToolServers } from './tool-servers.ts';
import { type Approval, approvalId, approvalsIn } from './wires/approvals.ts';
import { withResults } from './wires/response-items.ts';
import { listIn } from './wires/members.ts';
import type {
  ComposerParts,
  FunctionCall,
  RememberedTurns,
  RoundCalls,
  Step,
  Stop,
  ToolWire,
} from './wires/wire.ts';

export interface LoopParts extends ComposerParts {
  readonly completions: Pick<Completions, 'answer'>;
  readonly request: Json;
  readonly original: CompletionRequest;
  /** The request for the first round. */
  readonly body: Json;
  readonly wire: ToolWire;
  readonly servers: ToolServers;
  readonly userId: string;
  /** Admits the calls with these arguments that the client has approved. Resolves with the function that ends them. */
  readonly admit: (args: readonly string[]) => Promise<() => void>;
  readonly telemetry: Pick<Telemetry, 'toolCalled'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the ID of the response that the client has received, and that of the last round. */
  readonly onEnd?: ((first: string, last: string) => Promise<void>) | undefined;
  /** Called when a response ends with calls of the client, with what led to them. */
  readonly onOwnCalls?: ((turns: RememberedTurns) => Promise<void>) | undefined;
}

/** Maximum number of tool calls in one round, because a model can request any number. */
const MAX_CALLS = 64;

const DENIED = 'The user did not approve this call.';
const NO_APPROVALS =
  'This tool requires an approval, which clients of this API cannot give. Only the Responses API supports approvals.';

/** What happens after a round: another one, or the end of the response. */
type NextRound = { readonly body: Json } | { readonly stop: Stop | undefined };

/**
 * Calls the model and runs the tools that it calls, until it calls none. Each round is a complete request: it
 * passes the policy, reserves its maximum cost, and has its own usage row under the same request ID.
 */
export async function runToolLoop(parts: LoopParts): Promise<CompletionAnswer> {
  const { original, wire, servers, telemetry, clock, userId, log } = parts;
  const { settings } = servers;
  const { requestId, signal } = original;
  const composer = wire.compose(parts);
  const startedAt = clock.now();
  const left = (): number => settings.maxMs - (clock.now() - startedAt);
  const toolsEnd = new AbortController();
  let rounds = 0;
  let cost = 0n;

  const run = async (calls: readonly ToolCall[]): Promise<readonly Step[]> => {
    const limits = [signal, toolsEnd.signal, AbortSignal.timeout(Math.max(0, Math.ceil(left())))];
    const context = { servers, userId, requestId, telemetry, clock, log };
    const steps = await runCalls(calls, context, AbortSignal.any(limits));
    if (signal.aborted || toolsEnd.signal.aborted)
      throw signal.reason instanceof AppError ? signal.reason : clientDisconnected();
    return steps;
  };
  const stopBefore = (count: number): Stop | undefined => {
    if (rounds >= settings.maxRounds) return stopOf('max_rounds', `${settings.maxRounds} model calls`);
    if (left() <= 0) return stopOf('max_time', `${settings.maxMs / 1000} s`);
    if (settings.maxCost !== undefined && cost >= settings.maxCost)
      return stopOf('max_cost', 'the maximum cost of tool requests');
    if (count > MAX_CALLS) return stopOf('max_calls', `${MAX_CALLS} tool calls per model call`);
    return undefined;
  };

  /** Keeps what the client does not know or return, for its next request. */
  const keep = async (
    body: Json,
    response: Json,
    calls: RoundCalls['ownCalls'],
    steps: readonly Step[],
  ): Promise<void> => {
    if (calls.length === 0) return;
    const turns = wire
      .turnsOf(wire.next(body, { response, steps, isRequired: false }))
      .slice(wire.turnsOf(first).length);
    await parts.onOwnCalls?.({ calls, turns });
  };

  /** Runs a round's calls. Yields events; returns what to do next. */
  async function* afterRound(
    body: Json,
    response: Json,
    { calls, ownCalls }: RoundCalls,
  ): AsyncGenerator<string, NextRound> {
    if (calls.length === 0) {
      if (rounds > 1) await keep(body, response, ownCalls, []);
      return { stop: undefined };
    }
    const all = calls.flatMap((call) => toolCall(parts, call));
    const stop = stopBefore(calls.length);
    if (stop) {
      const steps = all.slice(0, MAX_CALLS).map((one) => failedStep(one, `Not run: ${stop.message}`));
      yield composer.ended(steps);
      if (steps.length === calls.length) await keep(body, response, ownCalls, steps);
      return { stop };
    }
    const waiting = all.filter(({ tool }) => tool.needsApproval);
    // A client that does not know of a tool cannot approve its calls.
    const requested = composer.approvals ? waiting.filter(({ tool }) => !tool.isHidden) : [];
    if (composer.approvals && requested.length > 0) {
      const others = all.filter((one) => !requested.includes(one));
      yield composer.approvals(requestsOf(requested, others));
      return { stop: undefined };
    }
    const allowed = all.filter(({ tool }) => !tool.needsApproval);
    yield composer.starting(allowed);
    const done = await run(allowed);
    const refused = waiting.map((one) => failedStep(one, NO_APPROVALS));
    const steps = inOrder(calls, [...done, ...refused]);
    yield composer.ended(steps);
    if (ownCalls.length > 0) {
      await keep(body, response, ownCalls, steps);
      return { stop: undefined };
    }
    const late = stopBefore(0);
    return late
      ? { stop: late }
      : { body: wire.next(body, { response, steps, isRequired: isUnseen(parts, steps) }) };
  }

  const ask = async (body: Json, isFirst: boolean): Promise<CompletionAnswer> => {
    rounds += 1;
    // Headers of a stream have been sent with its first round.
    const later = { setHeader: () => undefined, onStreamPending: undefined };
    return await parts.completions.answer({
      ...original,
      ...(!isFirst && body['stream'] === true && later),
      bytes: bytesOf(body, original),
      onCost: (spent) => void (cost += spent ?? 0n),
    });
  };

  const runAdmitted = async (calls: readonly ToolCall[]): Promise<readonly Step[]> => {
    const end = await parts.admit(calls.map(({ call }) => call.args));
    try {
      return await run(calls);
    } finally {
      end();
    }
  };

  /** Runs the calls that the client has approved, before the first round. */
  const approved = async (body: Json): Promise<Json> => {
    const { given, ended } = approvalsIn(listIn(body['input']));
    if (given.size === 0) return body;
    const calls = [...given.values()]
      .filter(({ isLatest }) => isLatest)
      .flatMap(approvedCalls)
      .filter(({ id }) => !ended.has(id))
      .flatMap((one) => namedCall(parts, one));
    const steps = calls.length === 0 ? [] : await runAdmitted(calls.slice(0, MAX_CALLS));
    composer.ended(steps);
    const outputs = new Map(steps.map(({ id, output }) => [id, output]));
    const missing = ({ isApproved, isLatest, reason }: Approval, at: number): string =>
      isApproved || at > 0
        ? isLatest
          ? 'This tool is not available.'
          : 'The client has not sent back the result.'
        : reason === undefined
          ? DENIED
          : `${DENIED} ${reason}`;
    return withResults(body, given, (approval) =>
      [approval.pending, ...approval.pending.others]
        .map(({ id }, at) => ({ id, output: outputs.get(id) ?? missing(approval, at) }))
        .filter(({ id }) => !ended.has(id)),
    );
  };

  const first = await approved(parts.body);
  const answer = await ask(first, true);
  if (answer.kind === 'whole') {
    let current = answer;
    let body = first;
    let ids: { first?: unknown; last?: unknown } = {};
    for (;;) {
      const response = membersOf(parseLossless(Buffer.from(current.bytes).toString('utf8')));
      ids = { first: ids.first ?? response['id'], last: response['id'] };
      const next = await last(afterRound(body, response, composer.whole(response)));
      if ('stop' in next) {
        await noteEnd(parts, ids);
        const bytes = Buffer.from(JSON.stringify(composer.finishWhole(next.stop)));
        return { kind: 'whole', bytes, type: current.type };
      }
      ({ body } = next);
      const again = await ask(body, false);
      if (again.kind !== 'whole') throw new Error('A later round streams.');
      current = again;
    }
  }

  let stream = answer.events;
  let isCancelled = false;
  const unread = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  void stream.unread.then(unread.resolve);

  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    let body = first;
    const ids: { first?: unknown; last?: unknown } = {};
    try {
      for (;;) {
        const splitter = createFrameSplitter();
        for (;;) {
          const { done, value } = await stream.next();
          if (done === true) break;
          const text = splitter
            .push(Buffer.from(value))
            .map((frame) => readEvent(frame))
            .map(({ event, data }) => (data === undefined ? '' : composer.event(event, data)))
            .join('');
          if (text !== '') yield Buffer.from(text);
        }
        const round = isCancelled ? undefined : composer.endOfRound();
        if (!round) break;
        ids.first ??= round.response['id'];
        ids.last = round.response['id'];
        const after = afterRound(body, round.response, round);
        let step = await after.next();
        for (; step.done !== true; step = await after.next())
          if (step.value !== '') yield Buffer.from(step.value);
        const next = step.value;
        if ('stop' in next) {
          await noteEnd(parts, ids);
          yield Buffer.from(composer.finish(next.stop));
          return;
        }
        ({ body } = next);
        const again = await ask(body, false);
        if (again.kind !== 'stream') throw new Error('A later round does not stream.');
        stream = again.events;
        if (isCancelled) await stream.cancel();
        void stream.unread.then(unread.resolve);
      }
      const rest = composer.finish(undefined);
      if (!isCancelled && rest !== '') yield Buffer.from(rest);
    } catch (error) {
      const failure = AppError.from(error);
      if (failure.code === 'InternalError') log.error({ requestId, err: error }, 'tool request failed');
      const { syntax } = ENDPOINTS[original.endpoint];
      if (!isCancelled && syntax) yield Buffer.from(syntax.error(streamError(failure), undefined));
    } finally {
      ended.resolve();
    }
  }

  const all = pieces();
  return {
    kind: 'stream',
    type: answer.type,
    events: {
      next: () => all.next(),
      async cancel() {
        isCancelled = true;
        toolsEnd.abort();
        await stream.cancel();
        // The generator notices the cancellation.
        while (!(await all.next()).done);
        ended.resolve();
      },
      unread: unread.promise,
      ended: ended.promise,
    } satisfies ForwardedStream,
  };
}

/**
 * Whether all calls were of the key's default tools, although the request has others. A client that requires a call
 * knows only the others.
 */
const isUnseen = ({ wire, request, names }: LoopParts, steps: readonly Step[]): boolean =>
  steps.every(({ tool }) => tool.isHidden) &&
  (wire.functionNames(request).length > 0 ||
    [...names.byFunction.values()].some(({ isHidden }) => !isHidden));

async function noteEnd(
  { onEnd }: LoopParts,
  { first, last: newest }: { readonly first?: unknown; readonly last?: unknown },
): Promise<void> {
  if (typeof first === 'string' && typeof newest === 'string' && first !== newest)
    await onEnd?.(first, newest);
}

const stopOf = (reason: Stop['reason'], limit: string): Stop => ({
  reason,
  message: `The limit of ${limit} is reached.`,
});

/** Runs a generator to its end; returns its result. */
async function last<Result>(generator: AsyncGenerator<string, Result>): Promise<Result> {
  for (;;) {
    const step = await generator.next();
    if (step.done === true) return step.value;
  }
}

function toolCall({ names }: LoopParts, call: FunctionCall): ToolCall[] {
  const tool = names.byFunction.get(call.name);
  return tool ? [{ call, tool }] : [];
}

const inOrder = (calls: readonly FunctionCall[], steps: readonly Step[]): Step[] =>
  calls.flatMap(({ id }) => steps.find((step) => step.id === id) ?? []);

/** Calls that need no approval wait for the others of their round, whose requests contain them. */
const requestsOf = (waiting: readonly ToolCall[], others: readonly ToolCall[]) =>
  waiting.map(({ call, tool }, at) => {
    const pendingOf = (one: ToolCall) => ({
      id: one.call.id,
      label: one.tool.label,
      tool: one.tool.tool,
      args: one.call.args,
    });
    const own = pendingOf({ call, tool });
    const id = approvalId({ ...own, others: at === 0 ? others.map(pendingOf) : [] });
    return { ...own, id };
  });

const approvedCalls = ({ pending, isApproved }: Approval) => [
  ...(isApproved ? [pending] : []),
  // A client cannot make a call skip its approval by listing it here.
  ...pending.others.map((one) => ({ ...one, isOther: true })),
];

/** The call of a tool that the request still offers. */
function namedCall(
  { names }: LoopParts,
  {
    id,
    label,
    tool: name,
    args,
    isOther = false,
  }: {
    readonly id: string;
    readonly label: string;
    readonly tool: string;
    readonly args: string;
    readonly isOther?: boolean;
  },
): ToolCall[] {
  const tool = names.byFunction.get(names.functionOf(label, name));
  if (!tool || tool.label !== label || tool.tool !== name || (isOther && tool.needsApproval)) return [];
  return [{ call: { id, name: tool.name, args }, tool }];
}

/** The request without the members that its path contains. */
export function bytesOf(body: Json, { inPath }: CompletionRequest): Uint8Array {
  const sent = inPath
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(inPath, name)))
    : body;
  return Buffer.from(JSON.stringify(sent));
}
