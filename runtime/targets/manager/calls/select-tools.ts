import { suggest } from '#core/text/suggest.ts';
import type { ServerSpec } from '../config/spec.ts';
import { definitionHash, toolDefinition } from '../config/tool-definition.ts';
import type { ToolOverride, ToolPins } from '../config/tool-policy.ts';
import type { ToolChange } from '../supervisor/managed-server.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { UpstreamTool } from './call.ts';
import type { CatalogTool } from './catalog-tool.ts';
import { isToolAllowed } from './permissions.ts';

export interface SelectedTools {
  /** In the order of the server; their shown names are unique. */
  readonly tools: readonly CatalogTool[];
  readonly changes: readonly ToolChange[];
  /** Overrides that cannot be applied, as sentences. */
  readonly faults: readonly string[];
}

/** Selects the tools that the configuration allows, applies its overrides, and compares them with the pinned ones. */
export function selectTools(spec: ServerSpec, all: readonly UpstreamTool[]): SelectedTools {
  const overrides = spec.toolOverrides ?? {};
  const seen = new Set<string>();
  const unique = all.filter(({ name }) => !seen.has(name) && seen.add(name));
  const allowed = unique.flatMap((tool): CatalogTool[] => {
    const override = overrideOf(overrides, tool.name);
    const shown = override ? withOverride(tool, override) : tool;
    if (!isToolAllowed(spec, tool.name, shown)) return [];
    const change = spec.pins && changeOf(spec.pins, tool);
    const blocked = change !== undefined && spec.pins?.onChange === 'block';
    return [{ own: tool.name, shown, hidden: override?.hidden ?? false, change, blocked }];
  });
  const renamed = new Map(
    allowed.filter(({ own, shown }) => own !== shown.name).map(({ own, shown }) => [shown.name, own]),
  );
  // A renamed tool has precedence: a server must not take over its name by listing another tool with this name.
  const isShadowed = ({ own, shown }: CatalogTool): boolean => (renamed.get(shown.name) ?? own) !== own;
  return {
    tools: allowed.filter((tool) => !isShadowed(tool)),
    changes: allowed.flatMap(({ own, change }) => (change === undefined ? [] : [{ tool: own, change }])),
    faults: [
      ...unknownOverrides(overrides, all),
      ...allowed
        .filter(isShadowed)
        .map(
          ({ own }) =>
            `the tool ${own} is omitted: the configuration renames ${renamed.get(own)} to this name`,
        ),
    ],
  };
}

/** Whether the configuration renames a tool to this name. */
export const isNewName = ({ toolOverrides = {} }: ServerSpec, name: string): boolean =>
  Object.values(toolOverrides).some(({ rename }) => rename?.toLowerCase() === name.toLowerCase());

function overrideOf(
  overrides: Readonly<Record<string, ToolOverride>>,
  name: string,
): ToolOverride | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(overrides, key) ? overrides[key] : undefined;
}

const withOverride = (
  tool: UpstreamTool,
  { rename, description, annotations }: ToolOverride,
): UpstreamTool => ({
  ...tool,
  name: rename ?? tool.name,
  ...(description === undefined ? {} : { description }),
  ...(annotations['title'] === undefined ? {} : { title: annotations['title'] }),
  ...(Object.keys(annotations).length === 0
    ? {}
    : { annotations: { ...membersOf(tool['annotations']), ...annotations } }),
});

function changeOf({ hashes }: ToolPins, tool: UpstreamTool): ToolChange['change'] | undefined {
  if (!Object.hasOwn(hashes, tool.name)) return 'new';
  return hashes[tool.name] === definitionHash(tool.name, toolDefinition(tool)) ? undefined : 'changed';
}

function unknownOverrides(
  overrides: Readonly<Record<string, ToolOverride>>,
  all: readonly UpstreamTool[],
): string[] {
  const names = all.map(({ name }) => name);
  const lower = new Set(names.map((name) => name.toLowerCase()));
  return Object.keys(overrides)
    .filter((name) => !lower.has(name))
    .map((name) => {
      const similar = suggest(name, names);
      const hint = similar === undefined ? '' : `. Did you mean ${similar}?`;
      return `tool_overrides.${name} has no effect: the server has no such tool${hint}`;
    });
}
