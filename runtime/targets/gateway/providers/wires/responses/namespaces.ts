import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../shapes/chat.ts';

// Codex groups the tools of an MCP server, and its own for sub-agents, in a tool of type `namespace`. Other APIs have no groups, so each
// tool gets a name of its own for the provider, and a call of it gets the name and the namespace back.

/** A tool as its client names it. */
interface NamedTool {
  readonly name: string;
  readonly namespace?: string;
}

/** The tools of a request, each in a group of its own or in none. */
export interface FlatTool {
  readonly tool: Json;
  /** The place in the request, for errors. */
  readonly place: string;
  /** The name for the provider; undefined for a tool without one. */
  readonly flatName: unknown;
  readonly names: NamedTool | undefined;
}

/** The name of a tool of a namespace for providers without them. */
const flatName = (namespace: unknown, name: string): string => {
  if (typeof namespace !== 'string' || namespace === '') return name;
  return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;
};

/** All tools, with those of namespaces in place of these. A name that is taken is numbered. */
export function flatTools(tools: unknown): readonly FlatTool[] {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const taken = new Set(list.map((tool) => memberOf(tool, 'name')));
  const free = (name: string): string => {
    const found = taken.has(name) ? numbered(name, taken) : name;
    taken.add(found);
    return found;
  };
  return list.filter(isObject).flatMap((tool, at): readonly FlatTool[] => {
    const place = `tools[${at}]`;
    const { type, name, tools: members } = tool;
    if (type !== 'namespace' || !Array.isArray(members))
      return [{ tool, place, flatName: name, names: undefined }];
    const namespace = String(name);
    return members.filter(isObject).map((member, nth) => {
      const own = member['name'];
      const names = typeof own === 'string' ? { name: own, namespace } : undefined;
      return {
        tool: member,
        place: `${place}.tools[${nth}]`,
        flatName: names ? free(flatName(namespace, names.name)) : own,
        names,
      };
    });
  });
}

function numbered(name: string, taken: ReadonlySet<unknown>): string {
  for (let number = 2; ; number += 1) if (!taken.has(`${name}_${number}`)) return `${name}_${number}`;
}

/** Translates the names of tools between a request and its provider. */
export interface ToolNames {
  /** The name for the provider. */
  flat(name: string, namespace: unknown): string;
  /** The name and the namespace of the client. */
  named(flat: string): NamedTool;
  /** Whether a name is one of a custom tool. */
  isCustom(flat: string): boolean;
}

export function toolNames({ tools }: Json): ToolNames {
  const all = flatTools(tools);
  const byFlat = new Map(all.map((tool) => [tool.flatName, tool] as const));
  const flats = new Map(
    all.flatMap(({ names, flatName: flat }) => (names ? [[keyOf(names), String(flat)] as const] : [])),
  );
  return {
    flat: (name, namespace) =>
      typeof namespace === 'string'
        ? (flats.get(keyOf({ name, namespace })) ?? flatName(namespace, name))
        : name,
    named: (flat) => byFlat.get(flat)?.names ?? { name: flat },
    isCustom: (flat) => byFlat.get(flat)?.tool['type'] === 'custom',
  };
}

const keyOf = ({ namespace, name }: NamedTool): string => JSON.stringify([namespace, name]);
