import { availableParallelism, cpus, totalmem } from 'node:os';

export const print = (line = ''): void => console.log(line);

/** Prints a Markdown table. */
export const printTable = (header: readonly string[], rows: readonly (readonly string[])[]): void =>
  print(`${tableText(header, rows)}\n`);

/** A Markdown table with aligned columns; numbers are right-aligned. */
export function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** The expected result of a section, next to the measured one. */
export function printGoal(goal: string, measured: string, met: boolean): void {
  print(`goal: ${goal}; measured: ${measured}${met ? '' : ' (MISSED)'}`);
}

export function machineLine(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `machine: ${model}, ${availableParallelism()} cores, ${memory} GiB, ${process.platform} ${process.arch}, Node ${process.version}`;
}

export const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;
export const seconds = (value: number): string => `${(value / 1000).toFixed(2)} s`;
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
export const ratio = (value: number): string => value.toFixed(2);
