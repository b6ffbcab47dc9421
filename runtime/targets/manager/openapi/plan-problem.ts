import type { ApiSettings } from '../config/spec.ts';
import type { ApiPlan } from './plan.ts';
import { schemesOf } from './security.ts';

/** Explains why a document has no tools; undefined if it has some. */
export function planProblem(
  { tools, dropped, operations }: ApiPlan,
  { document }: Pick<ApiSettings, 'document'>,
): string | undefined {
  if (tools.length > 0) return undefined;
  const [first] = dropped;
  if (first) return `${document} has no usable operations. ${first.operation}: ${first.reason}.`;
  if (operations === 0) return `${document} has no operations.`;
  return `${document} has ${operations} operations, but \`include\` and \`exclude\` select none of them.`;
}

const MAX_SHOWN = 5;

/** What a user should know after adding an API. */
export function apiNotes(server: string, plan: ApiPlan, { credentials }: ApiSettings): string[] {
  const { tools, dropped, baseUrl, schemes } = plan;
  const used = new Set(tools.flatMap(({ operation }) => [...schemesOf(operation)]));
  const missing = Object.entries(schemes).filter(
    ([name, { kind }]) => used.has(name) && kind !== 'unsupported' && !Object.hasOwn(credentials, name),
  );
  return [
    `${tools.length} ${tools.length === 1 ? 'operation is a tool' : 'operations are tools'}. Calls go to ${baseUrl ?? ''}.`,
    ...dropped.slice(0, MAX_SHOWN).map(({ operation, reason }) => `Not a tool: ${operation}: ${reason}.`),
    ...(dropped.length > MAX_SHOWN ? [`Not tools: ${dropped.length - MAX_SHOWN} more operations.`] : []),
    ...missing.map(([name, { kind }]) =>
      kind === 'oauth'
        ? `The API uses OAuth (${name}${withScopes(name, tools)}). Add [servers.oauth], or run \`mcp-manager config credentials set ${server} ${name}=<token>\`.`
        : `The API has the security scheme ${name} (${kind}). Run \`mcp-manager config credentials set ${server} ${name}=<value>\`.`,
    ),
  ];
}

/** The scopes that operations require of a scheme. */
function withScopes(scheme: string, tools: ApiPlan['tools']): string {
  const alternatives = tools.flatMap(({ operation }) => operation.security);
  const scopes = new Set(
    alternatives.flatMap((alternative) =>
      Object.hasOwn(alternative, scheme) ? (alternative[scheme] ?? []) : [],
    ),
  );
  const shown = [...scopes].slice(0, MAX_SHOWN).join(' ');
  const more = scopes.size > MAX_SHOWN ? ` and ${scopes.size - MAX_SHOWN} more` : '';
  return scopes.size === 0 ? '' : `, scopes ${shown}${more}`;
}
