import type { ListedTool } from './shared/listed.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { confirmAction } from '#serve/http/pages/browser/components/dialog.ts';
import { badge, facts } from '#serve/http/pages/browser/components/facts.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';
import type { Schema } from '#serve/http/pages/browser/forms/schema.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { jsonBlock, type CallResult, toolResult } from './results/content.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { api } from './shared/caller.ts';

/** A tool: its description, and a form to call it. */
export async function showTool({ root, params, session, signal, setTitle }: Place) {
  const { server = '', tool: name = '' } = params;
  setTitle(name);
  const { data } = await session.call<{ readonly tools: readonly ListedTool[] | null }>(
    api('servers', server, 'tools'),
    { signal },
  );
  const tool = (data.tools ?? []).find((one) => one.name === name);
  const back = element(
    'p',
    {},
    'Tool of ',
    element('a', { href: linkTo(['servers', server, 'tools']) }, server),
  );
  if (!tool) {
    root.append(back, empty(`${server} has no tool ${name} that the key can use.`));
    return;
  }
  const { inputSchema, outputSchema } = schemasOf(tool);
  const result = element('section', { 'aria-label': 'Result', 'aria-live': 'polite' });

  const send = async (args: unknown, headers: Record<string, string> = {}) => {
    const answer = await session.call<CallResult>(api('servers', server, 'tools', name), {
      body: args,
      query: { result: 'full' },
      headers,
      signal,
    });
    result.replaceChildren(element('h2', {}, 'Result'), toolResult(answer.data, answer.milliseconds));
  };

  root.append(
    back,
    ...(tool.title ? [element('p', {}, element('strong', {}, tool.title))] : []),
    element(
      'p',
      { class: 'server-text' },
      tool.description || 'The server provides no description of this tool.',
    ),
    facts([['Annotations', annotations(tool.annotations ?? {})]]),
    element('h2', {}, 'Call'),
    formOf(inputSchema, {
      values: {},
      submit: 'Call tool',
      async onSubmit(args) {
        result.replaceChildren();
        try {
          await send(args);
        } catch (error) {
          const confirmation = confirmationOf(error);
          if (confirmation === undefined) throw error;
          await confirmAction({
            title: `Call ${name}?`,
            words: `An approval rule for ${server} requires confirmation before this tool is called.`,
            action: { name: 'Call tool', run: () => send(args, { 'X-Confirm-Tool': confirmation }) },
          });
        }
      },
    }),
    result,
    details('Input schema', inputSchema),
    ...(outputSchema ? [details('Output schema', outputSchema)] : []),
  );
}

/** The API returns the main keywords of a schema, plus the complete schema if it has others. */
const schemasOf = ({ inputSchema, outputSchema, _meta: more = {} }: ListedTool) => ({
  inputSchema: withAnyArguments(more['mcp-manager/inputSchema'] ?? inputSchema ?? { type: 'object' }),
  outputSchema: more['mcp-manager/outputSchema'] ?? outputSchema,
});

/** A schema that lists no arguments allows any. */
const withAnyArguments = (schema: Schema) =>
  'properties' in schema || 'additionalProperties' in schema
    ? schema
    : { ...schema, additionalProperties: true };

/** Hints from the server, which are not verified. */
function annotations({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
  openWorldHint,
}: NonNullable<ListedTool['annotations']>) {
  const badges = [
    readOnlyHint === true ? badge('read-only', 'good') : undefined,
    destructiveHint === true && readOnlyHint !== true ? badge('destructive', 'alarm') : undefined,
    idempotentHint === true ? badge('idempotent') : undefined,
    openWorldHint === true ? badge('uses external systems', 'warning') : undefined,
  ].filter((node) => node !== undefined);
  if (badges.length === 0) return 'none';
  return element('span', { class: 'badges' }, ...badges);
}

/** The name to confirm, if the server rejected a call because confirmation is required. */
function confirmationOf(error: unknown) {
  if (!(error instanceof ServerError) || error.status !== 403) return undefined;
  return /^tool requires confirmation: .*X-Confirm-Tool: (\S+) over HTTP\.$/.exec(error.message)?.[1];
}

const details = (title: string, schema: unknown) =>
  element('details', {}, element('summary', {}, title), jsonBlock(schema, title));
