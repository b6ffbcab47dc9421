/** @import { Place } from '../start-app.js' */
import { confirmAction } from '../components/dialog.js';
import { badge, facts } from '../components/facts.js';
import { formOf } from '../components/form.js';
import { empty } from '../components/states.js';
import { element } from '../dom.js';
import { jsonBlock } from '../results/content.js';
import { toolResult } from '../results/tool-result.js';
import { linkTo } from '../route.js';
import { ServerError } from '../server.js';
import { api } from '../shared/api.js';

/**
 * A tool: its description, and a form that calls it.
 * @param {Place} place
 */
export async function showTool({ root, params, session, signal, setTitle }) {
  const { server = '', tool: name = '' } = params;
  setTitle(name);
  const { data } = await session.call(api('servers', server, 'tools'), { signal });
  const tool = (data.tools ?? []).find((/** @type {any} */ one) => one.name === name);
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

  /**
   * @param {any} args
   * @param {Record<string, string>} [headers]
   */
  const send = async (args, headers = {}) => {
    const answer = await session.call(api('servers', server, 'tools', name), {
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
    element('p', { class: 'server-text' }, tool.description || 'The server does not describe this tool.'),
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
            words: `An approval rule of ${server} requires a confirmation for this tool.`,
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

/**
 * The API has the main keywords of a schema, and the whole schema next to them if it has more.
 * @param {any} tool
 */
const schemasOf = ({ inputSchema, outputSchema, _meta = {} }) => ({
  inputSchema: withAnyArguments(_meta['mcp-manager/inputSchema'] ?? inputSchema ?? { type: 'object' }),
  outputSchema: _meta['mcp-manager/outputSchema'] ?? outputSchema,
});

/**
 * A schema that names no arguments allows all of them.
 * @param {any} schema
 */
const withAnyArguments = (schema) =>
  'properties' in schema || 'additionalProperties' in schema
    ? schema
    : { ...schema, additionalProperties: true };

/**
 * Hints of the server, which are not verified.
 * @param {Record<string, unknown>} hints
 */
function annotations({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }) {
  const badges = [
    readOnlyHint === true ? badge('reads only', 'good') : undefined,
    destructiveHint === true && readOnlyHint !== true ? badge('destructive', 'alarm') : undefined,
    idempotentHint === true ? badge('can be repeated') : undefined,
    openWorldHint === true ? badge('uses other systems', 'warning') : undefined,
  ].filter((node) => node !== undefined);
  if (badges.length === 0) return 'none';
  return element('span', { class: 'badges' }, ...badges);
}

/**
 * The name to confirm, if the server refused a call because it requires a confirmation.
 * @param {unknown} error
 */
function confirmationOf(error) {
  if (!(error instanceof ServerError) || error.status !== 403) return undefined;
  return /^tool requires a confirmation: .*X-Confirm-Tool: (\S+) over HTTP\.$/.exec(error.message)?.[1];
}

/**
 * @param {string} title
 * @param {unknown} schema
 */
const details = (title, schema) =>
  element('details', {}, element('summary', {}, title), jsonBlock(schema, title));
