import { expect, test } from 'vitest';
import { chatTools } from '#gateway/requests/tools/wires/chat.ts';
import { geminiTools } from '#gateway/requests/tools/wires/gemini.ts';
import { messagesTools } from '#gateway/requests/tools/wires/messages.ts';
import { responsesTools } from '#gateway/requests/tools/wires/responses.ts';
import type { NamedTool } from '#gateway/requests/tools/wires/wire.ts';

const named = (label: string, tool: string, isHidden = false): NamedTool => ({
  name: `${label}_${tool}`,
  label,
  tool,
  description: undefined,
  parameters: { type: 'object' },
  needsApproval: false,
  isHidden,
});
const TOOLS = [named('desk', 'read'), named('desk', 'stamp'), named('own', 'seal', true)];
const changes = { tools: TOOLS, kept: new Set<unknown>(), search: false };
const desk = { type: 'mcp', server_label: 'desk' };
const round = { response: {}, steps: [] };

/** The choices of the first round, of the next one, and of the next one while a call is still required. */
const choicesOf = (wire: typeof chatTools, choice: unknown, kept?: object) => {
  const first = wire.withTools(
    { tool_choice: choice },
    { ...changes, kept: new Set<unknown>(kept ? [kept] : []) },
  );
  return [
    first['tool_choice'],
    wire.next(first, { ...round, isRequired: false })['tool_choice'],
    wire.next(first, { ...round, isRequired: true })['tool_choice'],
  ];
};

test('a list of allowed tools names servers, and always allows the default tools of the key', () => {
  const listOf = (mode: string, ...names: readonly string[]) => ({
    type: 'allowed_tools',
    mode,
    tools: names.map((name) => ({ type: 'function', name })),
  });
  const nestedOf = (mode: string, ...names: readonly string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
  });
  const own = { type: 'function', name: 'mine' };
  const written = { type: 'allowed_tools', mode: 'required', tools: [own, desk] };
  const all = ['mine', 'desk_read', 'desk_stamp', 'own_seal'];
  expect(choicesOf(responsesTools, written)).toEqual([
    listOf('required', ...all),
    listOf('auto', ...all),
    listOf('required', ...all),
  ]);
  const nested = {
    type: 'allowed_tools',
    allowed_tools: { mode: 'required', tools: [{ ...desk, name: 'stamp' }] },
  };
  expect(choicesOf(chatTools, nested)).toEqual([
    nestedOf('required', 'desk_stamp', 'own_seal'),
    nestedOf('auto', 'desk_stamp', 'own_seal'),
    nestedOf('required', 'desk_stamp', 'own_seal'),
  ]);
});

test('a list of allowed tools keeps servers that the provider runs, and other choices', () => {
  const other = { type: 'mcp', server_label: 'other' };
  const [choice] = choicesOf(responsesTools, { type: 'allowed_tools', mode: 'auto', tools: [other] }, other);
  expect(choice).toMatchObject({ tools: [other, { name: 'own_seal' }] });
  const wrong = { type: 'allowed_tools', tools: 'all' };
  expect(choicesOf(responsesTools, wrong)[0]).toEqual(wrong);
});

test('after a round, calls are only required if the required one is still missing', () => {
  for (const wire of [chatTools, responsesTools]) {
    expect(choicesOf(wire, 'required')).toEqual(['required', 'auto', 'required']);
    expect(choicesOf(wire, 'none')).toEqual(['none', 'none', 'none']);
    expect(choicesOf(wire, undefined)).toEqual([undefined, undefined, undefined]);
  }
  const single = { type: 'auto', disable_parallel_tool_use: true };
  const any = { type: 'any', disable_parallel_tool_use: true };
  expect(choicesOf(messagesTools, any)).toEqual([any, single, any]);
  expect(choicesOf(messagesTools, { type: 'any' })).toEqual([{ type: 'any' }, undefined, { type: 'any' }]);
  expect(choicesOf(messagesTools, { type: 'none' }).slice(1)).toEqual([{ type: 'none' }, { type: 'none' }]);
});

test('the functions that a request of Google’s API allows remain the only ones in later rounds', () => {
  const configOf = (mode: string, names?: readonly string[]) => ({
    functionCallingConfig: { mode, ...(names && { allowedFunctionNames: names }) },
  });
  const roundsOf = (body: Readonly<Record<string, unknown>>) => {
    const first = geminiTools.withTools(body, changes);
    return [
      first,
      geminiTools.next(first, { ...round, isRequired: false }),
      geminiTools.next(first, { ...round, isRequired: true }),
    ].map((one) => one['toolConfig'] ?? one['tool_config']);
  };
  const names = ['mine', 'own_seal'];
  const snake = { function_calling_config: { mode: 'ANY', allowed_function_names: ['mine'] } };
  for (const body of [{ toolConfig: configOf('ANY', ['mine']) }, { tool_config: snake }])
    expect(roundsOf(body)).toEqual([
      configOf('ANY', names),
      configOf('VALIDATED', names),
      configOf('ANY', names),
    ]);
  const any = { toolConfig: configOf('ANY') };
  expect(roundsOf(any)).toEqual([configOf('ANY'), configOf('AUTO'), configOf('ANY')]);
});
