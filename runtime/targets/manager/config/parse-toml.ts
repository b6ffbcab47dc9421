import { parse, TomlError } from 'smol-toml';
import type { Problem } from './problems.ts';
import type { Table } from './table-reader.ts';

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Parses a TOML file; returns its table, or the problem with its syntax. */
export function parseToml(file: TextFile): { readonly table: Table } | { readonly problem: Problem } {
  try {
    return { table: parse(file.text, { integersAsBigInt: 'asNeeded' }) };
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
