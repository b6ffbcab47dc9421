import { lookup } from '#core/values/lookup.ts';
import type { CheckedAssertion, ComparedModel } from './assertions.ts';

interface Report {
  readonly experiment: string;
  readonly models: readonly Pick<ComparedModel, 'name' | 'status' | 'error'>[];
  readonly assertions: readonly CheckedAssertion[];
}

/** An experiment's results in JUnit XML format, with one test suite per model. */
export function junitReport({ experiment, models, assertions }: Report): string {
  const suites = models.map((model) => {
    const cases = [ranCase(experiment, model), ...casesOf(experiment, model.name, assertions)];
    return { name: model.name, cases };
  });
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(experiment)}"${countsOf(all)}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${escaped(name)}"${countsOf(cases)}>`,
      ...cases.map(({ text }) => `    ${text}`),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

interface Case {
  readonly text: string;
  readonly outcome: 'passed' | 'failure' | 'error';
}

const ranCase = (experiment: string, { name, status, error }: Report['models'][number]): Case =>
  caseOf(experiment, name, 'runs', status === 'succeeded' ? undefined : (error ?? status), 'error');

const casesOf = (experiment: string, model: string, assertions: readonly CheckedAssertion[]): Case[] =>
  assertions
    .filter((assertion) => assertion.model === model)
    .map(({ condition, problem }) => caseOf(experiment, model, condition, problem, 'failure'));

function caseOf(
  experiment: string,
  model: string,
  name: string,
  problem: string | undefined,
  element: 'failure' | 'error',
): Case {
  const start = `<testcase classname="${escaped(`${experiment}.${model}`)}" name="${escaped(name)}"`;
  if (problem === undefined) return { text: `${start}/>`, outcome: 'passed' };
  return { text: `${start}><${element} message="${escaped(problem)}"/></testcase>`, outcome: element };
}

function countsOf(cases: readonly Case[]): string {
  const count = (outcome: Case['outcome']): number => cases.filter((one) => one.outcome === outcome).length;
  return ` tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
}

const ENTITIES = lookup<string>({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });

/** Escapes an attribute value. Characters that XML 1.0 does not allow are replaced. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
    .replaceAll(/[\t\n\r]/g, (space) => `&#${space.codePointAt(0)};`);
