import type { TableReader } from './table-reader.ts';
import type { ToolOverride } from './tool-policy.ts';

const OVERRIDE_KEYS = ['rename', 'description', 'annotations', 'hidden'];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Names that all clients and language models accept. */
const CLIENT_NAME = /^[\w.-]{1,64}$/;

/** Reads `[servers.tool_overrides.NAME]`: changes of tools by their own names, in lower case. */
export function readToolOverrides(table: TableReader | undefined): Record<string, ToolOverride> {
  const byNewName = new Map<string, string>();
  const overrides = (table?.keys() ?? []).flatMap((name): [string, ToolOverride][] => {
    const tool = table?.table(name, OVERRIDE_KEYS);
    if (!tool) return [];
    const rename = readRename(tool);
    const other = rename === undefined ? undefined : byNewName.get(rename.toLowerCase());
    if (rename !== undefined && other !== undefined) {
      tool.report(
        `rename ${JSON.stringify(rename)} is also the name of ${other}. Choose another name.`,
        'rename',
      );
    }
    if (rename !== undefined) byNewName.set(rename.toLowerCase(), name);
    const override = {
      rename,
      description: tool.text('description'),
      annotations: readAnnotations(tool.table('annotations', ['title', ...HINTS])),
      hidden: tool.flag('hidden') ?? false,
    };
    return [[name.toLowerCase(), override]];
  });
  return Object.fromEntries(overrides);
}

function readRename(tool: TableReader): string | undefined {
  const rename = tool.text('rename');
  if (rename === undefined || CLIENT_NAME.test(rename)) return rename;
  tool.report(
    `rename must have at most 64 letters, digits, _, - and ., not ${JSON.stringify(rename)}. Change it.`,
    'rename',
  );
  return undefined;
}

function readAnnotations(table: TableReader | undefined): ToolOverride['annotations'] {
  if (!table) return {};
  const values = [
    ['title', table.text('title')] as const,
    ...HINTS.map((hint) => [hint, table.flag(hint)] as const),
  ];
  return Object.fromEntries(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
