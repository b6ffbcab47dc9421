import { MEMBERS } from '../runtime/transform/members.ts';

const BEGIN = '<!-- members: made by `npm run generate` -->';
const END = '<!-- /members -->';

/** A document with the table of all members of tensors between its two marks made anew. */
export function withMemberTable(document) {
  const [before, rest] = document.split(BEGIN);
  const [, after] = rest?.split(END) ?? [];
  if (after === undefined) throw new Error(`No place for the table of members: it needs ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${memberTable()}\n\n${END}${after}`;
}

function memberTable() {
  const rows = MEMBERS.map((member) => [
    `\`${callOf(member)}\``,
    RESULTS[member.returns],
    [member.doc, ...member.parameters.filter((parameter) => isOwn(parameter, member)).map(explain)].join(' '),
  ]);
  return [['call', 'result', 'meaning'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`)
    .join('\n');
}

const explain = ({ name, doc }) => `*${name}*: ${doc}`;

/** What several members say of a parameter, or an operator of its operands, is clear without it. */
const isOwn = ({ doc }, { kind }) =>
  kind !== 'metamethod' &&
  MEMBERS.filter(({ parameters }) => parameters.some((other) => other.doc === doc)).length === 1;

function callOf({ kind, name, parameters }) {
  const [left, right] = parameters.map((parameter) => parameter.name);
  if (kind === 'metamethod') return OPERATORS[name](left, right);
  const given = parameters
    .map(({ name: parameter, optional }) => (optional ? `[${parameter}]` : parameter))
    .join(', ');
  if (kind === 'method') return `t:${name}(${given})`;
  return name === '__call' ? `Tensor(${given})` : `Tensor.${name}(${given})`;
}

const OPERATORS = {
  __add: (left, right) => `${left} + ${right}`,
  __sub: (left, right) => `${left} - ${right}`,
  __mul: (left, right) => `${left} * ${right}`,
  __div: (left, right) => `${left} / ${right}`,
  __unm: (operand) => `-${operand}`,
  __eq: (left, right) => `${left} == ${right}`,
  __len: (operand) => `#${operand}`,
  __index: (operand, index) => `${operand}[${index}]`,
  __tostring: (operand) => `tostring(${operand})`,
};

const RESULTS = {
  tensor: 'tensor',
  number: 'number',
  integer: 'whole number',
  operand: 'tensor or number',
  integers: 'list of whole numbers',
  boolean: 'true or false',
  string: 'text',
  table: 'table',
};
