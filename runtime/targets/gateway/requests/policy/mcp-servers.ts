import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { sha256 } from '#platform/sha256.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { ToolServer, ToolSettings } from '../../shared/tool-settings.ts';
import type { ModelSet } from '../models/model-set.ts';

/** An MCP server in a request. */
interface ServerName {
  readonly label: string | undefined;
  readonly url: string | undefined;
}

/** The configured server with the label or, without one, with the URL; a label with another URL is another server. */
export function configuredServer(
  { label, url }: ServerName,
  { servers }: ToolSettings,
): ToolServer | undefined {
  const labeled = label === undefined ? undefined : servers.get(label);
  if (url === undefined) return labeled;
  if (labeled) return labeled.url === url ? labeled : undefined;
  return [...servers.values()].find((server) => server.url === url);
}

/**
 * Throws an InputError if a request that is about to be sent to a provider contains an MCP server to which the
 * provider must not connect. Servers whose tools the gateway runs have been replaced by functions before, in the
 * APIs in which it runs them.
 */
export function requireNoServers(content: Json, settings: ToolSettings | undefined): void {
  if (!settings) return;
  for (const server of serversIn(content)) {
    if (settings.otherServers === 'provider' && !configuredServer(server, settings)) continue;
    const name = (server.label ?? server.url ?? '').slice(0, 100);
    throw inputError(
      `MCP server ${JSON.stringify(name)} cannot be used here, because the gateway runs tools only in direct requests to the Chat Completions, Responses, Messages and Gemini APIs.`,
    );
  }
}

/**
 * The servers in a request or an event: in the body itself, in an object in it such as `session`, or in an item of a
 * list such as `input`. Names are compared without letter case and underscores, because some providers read them so.
 */
function* serversIn(content: Json): Generator<ServerName> {
  yield* serversOfPart(content);
  for (const [name, value] of Object.entries(content)) {
    if (Array.isArray(value)) yield* serversOfItems(value);
    // A choice refers to tools that are listed elsewhere.
    else if (isObject(value) && fold(name) !== 'toolchoice') {
      yield* serversOfPart(value);
      for (const list of Object.values(value)) if (Array.isArray(list)) yield* serversOfItems(list);
    }
  }
}

function* serversOfItems(items: readonly unknown[]): Generator<ServerName> {
  for (const item of items) if (isObject(item)) yield* serversOfPart(item);
}

function* serversOfPart(part: Json): Generator<ServerName> {
  // Not recursive, because an event can be nested without limit.
  const parts = [part];
  for (let next = parts.pop(); next; next = parts.pop()) {
    for (const [name, value] of Object.entries(next)) {
      if (typeof value !== 'object' || value === null) continue;
      const folded = fold(name);
      if (folded === 'mcpservers')
        for (const [label, server] of Object.entries(value))
          yield nameOf(isObject(server) ? server : {}, label);
      if (folded !== 'tools' || !Array.isArray(value)) continue;
      for (const tool of value.filter(isObject)) {
        if (fold(memberOf(tool, ['type']) ?? '') === 'mcp') yield nameOf(tool, undefined);
        // Some tools contain servers or further tools.
        else parts.push(tool);
      }
    }
  }
}

const LABELS = ['serverlabel', 'name', 'connectorid'];
const URLS = ['serverurl', 'url'];
const TRANSPORT = 'streamablehttptransport';

function nameOf(server: Json, fallback: string | undefined): ServerName {
  const [, transport] = Object.entries(server).find(([name]) => fold(name) === TRANSPORT) ?? [];
  const url = memberOf(server, URLS) ?? (isObject(transport) ? memberOf(transport, URLS) : undefined);
  const label = memberOf(server, LABELS) ?? (url === undefined ? fallback : undefined);
  return { label, url };
}

/** The text of the first member with one of the names. */
function memberOf(object: Json, names: readonly string[]): string | undefined {
  for (const [name, value] of Object.entries(object))
    if (typeof value === 'string' && names.includes(fold(name))) return value;
  return undefined;
}

const fold = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Identifies the rules that a stored file has passed. With other rules, its requests must be checked again. */
export function policyDigest({ guardrails, tools }: Pick<ModelSet, 'guardrails' | 'tools'>): string {
  if (!tools) return guardrails.digest;
  const passed =
    tools.otherServers === 'reject' ? [] : [...tools.servers.values()].map(({ label, url }) => [label, url]);
  return sha256(JSON.stringify([guardrails.digest, tools.otherServers, passed]));
}
