import { parse, TomlError } from 'smol-toml';
import { rememberLatest } from '../shared/remember-latest.ts';
import type { Problem } from './problems.ts';
import type { TomlTable } from './table-reader.ts';

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Parses a text; throws a TomlError. Recent results are cached, because an edit parses the file before and
 * after several times: callers must not modify them.
 */
export const tomlTable: (text: string) => TomlTable = rememberLatest(3, (text: string) =>
  parse(text, { integersAsBigInt: 'asNeeded' }),
);

/** Parses a TOML file; returns its table, or the syntax error. */
export function parseToml(file: TextFile): { readonly table: TomlTable } | { readonly problem: Problem } {
  try {
    return { table: tomlTable(file.text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return {
      problem: {
        file: file.path,
        line: error.line,
        message: `invalid TOML: ${first.trim()} (column ${error.column}).`,
      },
    };
  }
}
