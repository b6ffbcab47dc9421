import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { changeEncoded } from '../encoded-text.ts';
import { FREE_FORM_MEMBERS, isMcpTool, NON_TEXT_MEMBERS, SCHEMAS, SETTINGS } from '../input-texts.ts';
import { changeReadings } from '../readings.ts';

/** Texts of a schema that are not names: those must stay as they are. */
const SCHEMA_TEXTS = new Set([
  'description',
  'server_description',
  'title',
  'enum',
  'const',
  'default',
  'examples',
]);

/** Replaces all texts of a request that can be masked: what models read, except names, which APIs restrict. */
export function mapBodyTexts(body: Json, change: (text: string) => string): Json {
  const visit = (value: unknown, isText: boolean, inSchema: boolean): unknown => {
    if (typeof value === 'string') return isText && value !== '' ? changeReadings(value, change) : value;
    if (Array.isArray(value)) return value.map((item) => visit(item, isText, inSchema));
    if (!isObject(value) || isRawNumber(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (inSchema) return [name, visit(member, SCHEMA_TEXTS.has(name), true)];
        if (FREE_FORM_MEMBERS.has(name)) return [name, everyText(member, change)];
        // Plain text documents of Anthropic's API have their text in `data`.
        const isPlain = name === 'data' && value['type'] === 'text';
        const isOwn = isPlain || (!NON_TEXT_MEMBERS.has(name) && name !== 'name');
        if (!isOwn && typeof member === 'string')
          return [name, changeEncoded(name, member, (text) => changeReadings(text, change))];
        return [name, visit(member, isOwn, false)];
      }),
    );
  };
  const visitTool = (tool: unknown): unknown => {
    // Headers of MCP servers contain credentials.
    if (!isMcpTool(tool)) return visit(tool, false, true);
    const { headers, ...rest } = tool;
    const visited = membersOf(visit(rest, false, true));
    return headers === undefined ? visited : { ...visited, headers };
  };
  return Object.fromEntries(
    Object.entries(body).map(([name, member]) => {
      if (SETTINGS.has(name)) return [name, member];
      if (name === 'tools' && Array.isArray(member)) return [name, member.map(visitTool)];
      if (SCHEMAS.has(name)) return [name, visit(member, false, true)];
      return [name, visit(member, true, false)];
    }),
  );
}

/** Replaces all texts in a value whose members can have any name. */
export function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return value === '' ? value : changeReadings(value, change);
  if (Array.isArray(value)) return value.map((item) => everyText(item, change));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everyText(member, change)]));
}
