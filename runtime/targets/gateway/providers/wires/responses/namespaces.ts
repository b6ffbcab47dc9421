import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../shapes/chat.ts';

// Codex groups the tools of an MCP server, and its own tools for sub-agents, in a tool of type `namespace`.
// Other APIs do not support groups of tools, so each tool is given a unique name for the provider, and
// calls to it are converted back to the original name and namespace.

/** A tool as named by its client. */
interface NamedTool {
  readonly name: string;
  readonly namespace?: string;
}

/** A tool in a request, with its namespace if it has one. */
export interface FlatTool {
  readonly tool: Json;
  /** Position in the request, for errors. */
  readonly place: string;
  /** The name sent to the provider; undefined for a tool without a name. */
  readonly flatName: unknown;
  readonly names: NamedTool | undefined;
}

/** The name of a namespaced tool for providers without namespaces. */
const flatName = (namespace: unknown, name: string): string => {
  if (typeof namespace !== 'string' || namespace === '') return name;
  return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;
};

/** All tools, with namespaces replaced by their tools. If a name is taken, a number is added. */
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

/** Translates tool names between a request and its provider. */
export interface ToolNames {
  /** Returns the name sent to the provider. */
  flat(name: string, namespace: unknown): string;
  /** Returns the client's name and namespace. */
  named(flat: string): NamedTool;
  /** Whether a name belongs to a custom tool. */
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
