/**
 * An oxlint plugin: every regular expression in the programs must be searchable in linear time, because most of them process external data.
 * Others must use `core/text/short-pattern.ts`, which limits the length of the text.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RegExpParser } from '@eslint-community/regexpp';
import { hasSomeDescendant, toUnicodeSet } from 'regexp-ast-analysis';
import { analyse } from 'scslre';

/** Files whose code reads external data. */
const PROGRAMS = /^(?:runtime|cli)[/\\](?!release[/\\])/;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIMITED = new Set(['shortPattern']);
const parser = new RegExpParser();
const known = new Map();

/** Explains why a search can take more than linear time; undefined if it cannot. */
export function problemOf(source, flags) {
  const key = `${flags}/${source}`;
  if (!known.has(key)) known.set(key, explain(source, flags));
  return known.get(key);
}

function explain(source, flags) {
  // `l` is V8's linear engine. `g` and `d` do not change what is searched.
  if (flags.includes('l')) return undefined;
  const searched = flags.replaceAll(/[gd]/g, '');
  let reports;
  try {
    ({ reports } = analyse(new RegExp(withoutBoundaries(source), searched)));
  } catch (error) {
    return `it cannot be analyzed (${error.message})`;
  }
  const worst = reports.find(({ exponential }) => exponential) ?? reports[0];
  if (!worst) return restartProblem(source, searched);
  const time = worst.exponential ? 'exponential' : 'quadratic';
  if (worst.type === 'Trade')
    return `${worst.startQuant.raw} and ${worst.endQuant.raw} can match the same characters (${time} time)`;
  if (worst.type === 'Self')
    return `${worst.quant.raw} is repeated and can match the same characters (${time} time)`;
  return restarts(worst.quant);
}

const restarts = ({ raw }) => `a search can start again inside of ${raw} (quadratic time)`;

/** scslre stops at word boundaries. Without them, a search takes at least as long. */
const withoutBoundaries = (source) =>
  source.replaceAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, (found) => (/^\\b$/i.test(found) ? '' : found));

/**
 * scslre finds `x*y`, where each x can start a search. This also finds `ax*y` if x matches a: a text of many a is searched to its end from
 * each of them.
 */
function restartProblem(source, flags) {
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const options = {
    ignoreCase: flags.includes('i'),
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
    sticky: flags.includes('y'),
  };
  if (options.sticky) return undefined;
  const quantifier = restartIn(pattern.alternatives, [], [], options);
  return quantifier && restarts(quantifier);
}

/** Finds a quantifier that can match the preceding part again, and is followed by a part that may not match. */
function restartIn(alternatives, before, after, options) {
  for (const { elements } of alternatives) {
    for (const [at, element] of elements.entries()) {
      const prefix = [...before, ...elements.slice(0, at)];
      const suffix = [...elements.slice(at + 1), ...after];
      if (element.type === 'Quantifier' && element.max > MAX_REPEATED) {
        const consumed = charactersOf(element.element, options);
        if (suffix.some((one) => isRequired(one)) && prefix.every((one) => isWithin(one, consumed, options)))
          return element;
      }
      const inner = element.type === 'Quantifier' ? element.element : element;
      if (inner.alternatives === undefined || inner.type === 'Assertion') continue;
      const found = restartIn(inner.alternatives, prefix, suffix, options);
      if (found) return found;
    }
  }
  return undefined;
}

/** More repetitions count as unlimited. */
const MAX_REPEATED = 2000;

const isRequired = (element) => {
  if (element.type === 'Quantifier') return element.min > 0 && isRequired(element.element);
  if (element.type === 'Assertion') return element.kind !== 'word';
  if (element.alternatives) return element.alternatives.every(({ elements }) => elements.some(isRequired));
  return true;
};

const isCharacters = ({ type }) =>
  type === 'Character' ||
  type === 'CharacterClass' ||
  type === 'CharacterSet' ||
  type === 'ExpressionCharacterClass';

/** All characters that a part of an expression can match. */
function charactersOf(element, options) {
  const sets = [];
  hasSomeDescendant(
    element,
    (one) => {
      if (isCharacters(one)) sets.push(toUnicodeSet(one, options).chars);
      return false;
    },
    (one) => !isCharacters(one),
  );
  return sets.slice(1).reduce((all, one) => all.union(one), sets[0]);
}

/** Whether a part can match a text that consists of these characters. */
function isWithin(element, characters, options) {
  if (characters === undefined) return false;
  if (isCharacters(element)) return !toUnicodeSet(element, options).chars.isDisjointWith(characters);
  if (element.type === 'Quantifier')
    return element.min === 0 || isWithin(element.element, characters, options);
  if (element.type === 'Assertion') {
    if (element.kind === 'start') return options.multiline && characters.has(0x0a);
    if (element.kind !== 'lookbehind' || element.negate) return true;
  }
  if (!element.alternatives) return true;
  return element.alternatives.some(({ elements }) =>
    elements.every((one) => isWithin(one, characters, options)),
  );
}

/** The source of an expression that is composed of literal texts; other parts are replaced with one letter. */
function sourceOf(node) {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  const template = node?.type === 'TaggedTemplateExpression' ? node.quasi : node;
  if (template?.type !== 'TemplateLiteral') return undefined;
  const isRaw = node.type === 'TaggedTemplateExpression';
  return template.quasis.map(({ value }) => (isRaw ? value.raw : value.cooked)).join('x');
}

const linear = {
  create: (context) => {
    if (!PROGRAMS.test(relative(ROOT, context.filename))) return {};
    const report = (node, problem) =>
      problem !== undefined &&
      context.report({
        node,
        message: `This regular expression can block the event loop: ${problem}. Search in another way, or use shortPattern of core/text/short-pattern.ts.`,
      });
    const check = (node, source, flags) => {
      const { parent } = node;
      if (parent?.type === 'CallExpression' && LIMITED.has(parent.callee.name)) return;
      report(node, problemOf(source, flags));
    };
    const checkCreated = (node) => {
      if (node.callee.name !== 'RegExp') return;
      const source = sourceOf(node.arguments[0]);
      const flags = node.arguments[1] === undefined ? '' : sourceOf(node.arguments[1]);
      if (flags?.includes('l')) return;
      if (source === undefined || flags === undefined)
        report(node, 'it is not known before the program runs');
      else check(node, source, flags);
    };
    return {
      Literal: (node) => node.regex && check(node, node.regex.pattern, node.regex.flags),
      NewExpression: checkCreated,
      CallExpression: checkCreated,
    };
  },
};

// oxlint-disable-next-line import/no-default-export -- oxlint requires this form for plugins.
export default { meta: { name: 'encoderfile' }, rules: { 'linear-regexp': linear } };
