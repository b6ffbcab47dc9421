/**
 * An oxlint plugin: lists of unbounded length must not be spread into call arguments. Engines limit arguments to about a hundred thousand,
 * so a long external list would fail a request with a RangeError. `pushAll`, `greatest` and `least` accept any number of items.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Programs that read external data; pages only read data that a program has limited. */
const PROGRAMS = /^(?:runtime|cli)[/\\](?!(?:.*[/\\])?browser[/\\])/;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Methods that accept any number of arguments. */
const METHODS = new Set([
  'push',
  'unshift',
  'splice',
  'max',
  'min',
  'hypot',
  'fromCharCode',
  'fromCodePoint',
]);

/** The call argument of unbounded length; undefined if there is none. */
export function unboundedSpread({ callee, arguments: given }) {
  if (callee.type !== 'MemberExpression' || !METHODS.has(callee.property.name)) return undefined;
  return given.find((one) => one.type === 'SpreadElement' && !isBounded(one.argument));
}

/** A list literal, also as one of two alternatives. */
const isBounded = (list) =>
  (list.type === 'ArrayExpression' && list.elements.every((one) => one?.type !== 'SpreadElement')) ||
  (list.type === 'ConditionalExpression' && isBounded(list.consequent) && isBounded(list.alternate));

const bounded = {
  create: (context) =>
    PROGRAMS.test(relative(ROOT, context.filename))
      ? {
          CallExpression(node) {
            const spread = unboundedSpread(node);
            if (spread === undefined) return;
            context.report({
              node: spread,
              message:
                'A call with a long list of arguments fails. Use pushAll of core/values/push-all.ts, greatest or least of core/numbers/extremes.ts, or a loop.',
            });
          },
        }
      : {},
};

// oxlint-disable-next-line import/no-default-export -- oxlint requires this form for plugins.
export default { meta: { name: 'encoderfile-calls' }, rules: { 'bounded-spread': bounded } };
