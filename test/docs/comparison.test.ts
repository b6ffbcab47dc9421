import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const [, PEERS = ''] = read('docs/benchmarks.md').split('<!-- peers: start -->');
const README = read('README.md');
const COMPARISON = read('docs/comparison.md').replaceAll(/\s+/g, ' ');

const OURS = 'encoderfile fp32';
const RUST = 'Rust encoderfile fp32';
const TEI = 'TEI fp32';
const FASTEMBED = 'fastembed fp32';
const CONTESTANTS = [OURS, RUST, TEI, FASTEMBED];

const cellsOf = (line: string): string[] => line.split('|').map((cell) => cell.trim());

/** A number in the benchmark tables, by the first cell of the header, the row and the column. */
function measured(table: string, row: string, column: string): number {
  const [rows = ''] = PEERS.split(`\n| ${table}`).slice(1).join('').split('\n\n');
  const [header = '', ...lines] = `| ${table}${rows}`.split('\n');
  const line = lines.find((one) => cellsOf(one)[1] === row) ?? '';
  const value = Number.parseFloat(cellsOf(line)[cellsOf(header).indexOf(column)] ?? '');
  if (Number.isNaN(value)) throw new Error(`no number in ${table}, ${row}, ${column}`);
  return value;
}

const ratio = (table: string, row: string): number => measured(table, row, 'ours is faster by');

/** The cells of a row in the README table, without the highlighting of the best value. */
function rowOfReadme(start: string): string[] {
  const line = README.split('\n').find((one) => one.startsWith(`| ${start}`)) ?? '';
  return cellsOf(line.replaceAll('*', '')).slice(2, -1);
}

test('the README has at most 150 lines, and its table matches the benchmark', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(151);
  const rounded = (table: string, column: string, unit: string): string[] =>
    CONTESTANTS.map((row) => `${Math.round(measured(table, row, column))}${unit}`);
  expect(rowOfReadme('first response')).toEqual(rounded('program', 'first answer', ' ms'));
  expect(rowOfReadme('memory after')).toEqual(rounded('program', 'after the run', ' MB'));
  expect(rowOfReadme('texts per second, 1 ')).toEqual(rounded('mixed, 1 at a time', 'texts/s', ''));
  expect(rowOfReadme('texts per second, 64')).toEqual(rounded('mixed, 64 at a time', 'texts/s', ''));
  const int8 = ['encoderfile int8', 'fastembed int8'].map((row) =>
    String(Math.round(measured('mixed, 64 at a time', row, 'texts/s'))),
  );
  expect(rowOfReadme('texts per second, 64 concurrent requests, int8')).toEqual([int8[0], '', '', int8[1]]);
});

test('the comparison matches the benchmark, even where another project performs better', () => {
  const alone = (row: string): number => Math.round(measured('mixed, 1 at a time', row, 'texts/s'));
  const start = (row: string): number => measured('program', row, 'first answer');
  const memory = (row: string): number => measured('program', row, 'after the run');
  const sentences = [
    `${memory(RUST)} MB after the run, compared to ${memory(OURS)} MB`,
    `${measured('program', RUST, 'file')} MB compared to ${measured('program', OURS, 'file')} MB`,
    `${alone(RUST)} texts per second compared to ${alone(OURS)}`,
    `after ${start(OURS)} ms instead of ${start(RUST)} ms`,
    `${measured('program', OURS, 'one text, new process')} ms instead of ${measured('program', RUST, 'one text, new process')}`,
    `${ratio('mixed, 64 at a time', RUST)} times as fast`,
    `${alone(TEI)} texts per second compared to ${alone(OURS)}`,
    `less memory (${memory(TEI)} MB)`,
    `after ${start(OURS)} ms instead of ${start(TEI)}`,
    `${ratio('mixed, 64 at a time', TEI)} times as fast`,
    `int8: ${alone('encoderfile int8')} texts per second compared to ${alone('fastembed int8')}`,
    `${ratio('mixed, 64 at a time', FASTEMBED)} times (float32)`,
    `${ratio('mixed, 64 at a time', 'fastembed int8')} times (int8)`,
    `mean cosine ${measured('program', 'encoderfile int8', 'mean cosine').toFixed(4)} compared to ${measured('program', 'fastembed int8', 'mean cosine').toFixed(4)}`,
  ];
  for (const sentence of sentences) expect(COMPARISON).toContain(sentence);
});
