import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { BackendMessage } from '../backends/backend.ts';
import { textOfRow } from '../inference/words.ts';
import {
  type Conversation,
  CONVERSATION_COLUMNS as COLUMNS,
  EXPECTATION_COLUMNS,
  type Expectation,
  type ScriptedResult,
  type Turn,
} from './conversation.ts';
import { expectedCall, readExpectation } from './read-expectation.ts';
import { readMessages } from './read-messages.ts';
import { listIn, objectIn, shown, textIn, valueOf } from './read-members.ts';

const MAX_TURNS = 50;
const MAX_TOOLS = 128;
const MAX_RESULTS = 500;
const MAX_STEPS = 50;
const DEFAULT_STEPS = 10;

/** Reads a row as a conversation. Throws an InputError. */
export function readConversation(row: RowCells): Conversation {
  const messages = readMessages(valueOf(row, COLUMNS.messages));
  const tools = readTools(valueOf(row, COLUMNS.tools));
  const results = valueOf(row, COLUMNS.results);
  const conversation: Conversation = {
    ...turnsOf(row, messages),
    tools,
    results: results === undefined ? undefined : readResults(results),
    state: valueOf(row, COLUMNS.state) ?? null,
    maxSteps: readSteps(valueOf(row, COLUMNS.steps)),
    expectation: readExpectation((name) => valueOf(row, name)),
  };
  checkNames(conversation);
  return conversation;
}

const NOTHING: Expectation = readExpectation(() => undefined);

function turnsOf(
  row: RowCells,
  messages: readonly BackendMessage[],
): Pick<Conversation, 'history' | 'turns'> {
  const turns = valueOf(row, COLUMNS.turns);
  const last = messages.at(-1);
  if (turns !== undefined) {
    const read = listIn(turns, COLUMNS.turns, MAX_TURNS).map(readTurn);
    if (read.length === 0) throw inputError('`turns` is empty. Add a turn, or remove the column.');
    if (last?.role === 'user')
      throw inputError(
        '`messages` ends with a user message and the row has `turns`. Move the message to `turns`.',
      );
    return { history: messages, turns: read };
  }
  if (last?.role === 'user')
    return { history: messages.slice(0, -1), turns: [{ user: last.content ?? '', expectation: NOTHING }] };
  if (last?.role === 'tool') return { history: messages, turns: [{ user: undefined, expectation: NOTHING }] };
  return { history: messages, turns: [{ user: textOfRow(row), expectation: NOTHING }] };
}

const TURN_MEMBERS = ['user', ...Object.values(EXPECTATION_COLUMNS)];

function readTurn(value: unknown): Turn {
  if (typeof value === 'string') return { user: textIn(value, COLUMNS.turns), expectation: NOTHING };
  const turn = objectIn(value, COLUMNS.turns, TURN_MEMBERS);
  return {
    user: textIn(turn['user'], `${COLUMNS.turns}.user`),
    expectation: readExpectation((name) => turn[name] ?? undefined),
  };
}

/** Tools as in a chat completion. A bare function gets the wrapper. */
function readTools(value: unknown): readonly Json[] | undefined {
  if (value === undefined) return undefined;
  const tools = listIn(value, COLUMNS.tools, MAX_TOOLS).map((entry): Json => {
    const tool = objectIn(entry, COLUMNS.tools);
    const wrapped = isObject(tool['function']) ? tool : { type: 'function', function: tool };
    textIn(objectIn(wrapped['function'], COLUMNS.tools)['name'], `${COLUMNS.tools}.name`);
    return wrapped;
  });
  return tools.length === 0 ? undefined : tools;
}

/** Results as a list of entries, or as an object with one result per tool. */
function readResults(value: unknown): readonly ScriptedResult[] {
  if (isObject(value)) {
    const entries = listIn(Object.entries(value), COLUMNS.results, MAX_RESULTS) as readonly [
      string,
      unknown,
    ][];
    return entries.map(([name, result]) => ({ name, accepts: undefined, result, state: undefined }));
  }
  return listIn(value, COLUMNS.results, MAX_RESULTS).map((entry) => {
    const { result, state, ...call } = objectIn(entry, COLUMNS.results, [
      'name',
      'arguments',
      'match',
      'result',
      'state',
    ]);
    const { name, accepts } = expectedCall({ match: 'subset', ...call }, COLUMNS.results);
    return {
      name,
      accepts: call['arguments'] === undefined ? undefined : accepts,
      result: result ?? null,
      state,
    };
  });
}

function readSteps(value: unknown): number {
  const steps = value === undefined ? DEFAULT_STEPS : Number(value);
  if (Number.isInteger(steps) && steps >= 1 && steps <= MAX_STEPS) return steps;
  throw inputError(
    `\`${COLUMNS.steps}\` must be a whole number from 1 to ${MAX_STEPS}, not ${shown(value)}.`,
  );
}

/** Throws an InputError for an expected call or a result of a tool that the row does not have. */
function checkNames({ tools, results = [], turns, expectation }: Conversation): void {
  if (!tools) return;
  const names = new Set(tools.map((tool) => toolName(tool)));
  const expected = [expectation, ...turns.map((turn) => turn.expectation)].flatMap(({ calls = [] }) => calls);
  const unknown = [...expected, ...results].find(({ name }) => !names.has(name));
  if (unknown === undefined) return;
  throw inputError(
    `The row has no tool ${JSON.stringify(unknown.name.slice(0, 100))}, which it expects or has a result for. Tools: ${[...names].slice(0, 20).join(', ')}.`,
  );
}

const toolName = (tool: Json): string =>
  isObject(tool['function']) && typeof tool['function']['name'] === 'string' ? tool['function']['name'] : '';
