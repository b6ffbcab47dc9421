import { parse } from 'smol-toml';
import { inputError, messageOf } from '#contract/errors.ts';
import { tomlTable } from '../config/parse-toml.ts';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import { editToml } from './edit-toml.ts';
import { findListed, sectionText } from './sections.ts';
import { serverIndex, serverTables } from './servers-text.ts';

/** Returns the section of a servers file that describes a server, including the comments above it. */
export function serverBlock(text: string, name: string): string {
  const body = text.replace(/^\uFEFF/, '');
  const servers = serverTables(tomlTable(body));
  const index = serverIndex(servers, name);
  const found = findListed(body, 'servers', index);
  // In a list of inline tables, a server has no separate block.
  if (!found) return sectionText('[[servers]]', isTable(servers[index]) ? servers[index] : {});
  return `${body.slice(found.start, found.end).trim()}\n`;
}

/** Replaces the part that describes a server. `block` contains one `[[servers]]` table, optionally with comments. */
export function replaceServer(text: string, name: string, block: string): string {
  const table = serverIn(block);
  return editToml(
    text,
    (file) => {
      const servers = serverTables(file);
      servers[serverIndex(servers, name)] = table;
    },
    {
      first: [
        (body, parsedBody) => {
          const found = findListed(body, 'servers', serverIndex(serverTables(parsedBody), name));
          if (!found) return undefined;
          const [before, after] = [body.slice(0, found.start), body.slice(found.end)];
          const listed = body.slice(found.start, found.end);
          const [, ...gap] = listed.slice(listed.trimEnd().length).split('\n');
          return `${before}${block.trim()}\n${gap.join('\n')}${after}`;
        },
      ],
    },
  );
}

/** Parses the only server in a text. */
function serverIn(block: string): TomlTable {
  const table = parsed(block);
  const { servers, ...others } = table;
  const [server, second] = Array.isArray(servers) ? servers : [];
  if (isTable(server) && second === undefined && Object.keys(others).length === 0) return server;
  throw inputError('The text must contain exactly one [[servers]] table and nothing else.');
}

function parsed(block: string): TomlTable {
  try {
    return parse(block);
  } catch (error) {
    throw inputError(`The text is not valid TOML: ${messageOf(error).split('\n', 1)[0]}`, error);
  }
}
