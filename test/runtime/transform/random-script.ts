/** Random numbers in [0, 1) from a seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const NAMES = ['t', 'a', 'b', 'f', 's', 'Tensor', 'string', 'math', '_G', 'Postprocess', 'nothing'];
const NUMBERS = ['0', '1', '-1', '2', '3', '1e308', '-0.0', '0/0', '1/0', 'math.mininteger', '2^53', '1.5'];
const TEXTS = ['""', '"a"', '("x"):rep(1000)', '"%d%s%q"', '"(()(.-)+"', '"\\0\\255"', '[[\n]]'];
const METHODS = [
  'softmax',
  'lp_normalize',
  'layer_norm',
  'sum_axis',
  'mean_pool',
  'truncate_axis',
  'clamp',
  'exp',
  'transpose',
  'map_axis',
  'fold_axis',
  'sum',
  'min',
  'max',
  'mean',
  'std',
  'ndim',
  'argmax',
  'shape',
  'unsqueeze',
  'squeeze',
  'concat',
  'sigmoid',
  'log',
  'sqrt',
  'abs',
  'pow',
  'matmul',
  'where',
  'reshape',
  'totable',
  'no_such_member',
  'rep',
  'gsub',
  'format',
];
const CALLS = [
  'pcall',
  'xpcall',
  'error',
  'assert',
  'select',
  'tostring',
  'tonumber',
  'type',
  'next',
  'ipairs',
  'pairs',
  'rawget',
  'rawset',
  'rawlen',
  'setmetatable',
  'getmetatable',
  'Tensor',
  'Tensor.new',
  'Tensor.zeros',
  'string.rep',
  'string.format',
  'string.gsub',
  'string.byte',
  'string.pack',
  'string.unpack',
  'table.concat',
  'table.insert',
  'table.unpack',
  'table.sort',
  'table.move',
  'math.random',
  'utf8.char',
  'utf8.codepoint',
  'coroutine.wrap',
  'coroutine.create',
  'coroutine.resume',
  'coroutine.yield',
  'coroutine.close',
  'print',
];
const OPERATORS = ['+', '-', '*', '/', '//', '%', '^', '..', '==', '<', '>=', 'and', 'or', '&', '<<', '~'];

/** A random script: most are invalid, and many are malicious. */
export function randomScript(seed: number): string {
  const random = seeded(seed);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const some = (make: () => string, most: number): string[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, make);

  const expression = (depth: number): string => {
    if (depth <= 0) return pick([...NAMES, ...NUMBERS, ...TEXTS, 'nil', 'true', '...']);
    const inner = (): string => expression(depth - 1 - Math.floor(random() * 2));
    const forms = [
      () => pick(NAMES),
      () => `(${inner()} ${pick(OPERATORS)} ${inner()})`,
      () => `${pick(['-', '#', 'not ', '~'])}${inner()}`,
      () => `${pick(NAMES)}:${pick(METHODS)}(${some(inner, 3).join(', ')})`,
      () => `t:${pick(METHODS)}(${some(inner, 3).join(', ')})`,
      () => `${pick(CALLS)}(${some(inner, 3).join(', ')})`,
      () => `{${some(inner, 4).join(', ')}}`,
      () => `${pick(NAMES)}[${inner()}]`,
      () => `function(a, b, ...) ${block(depth - 1)} return ${inner()} end`,
    ];
    return (forms[Math.floor(random() * forms.length)] ?? forms[0])?.() ?? 't';
  };
  const statement = (depth: number): string => {
    const inner = (): string => expression(Math.min(depth, 2));
    const forms = [
      () => `local ${pick(['a', 'b', 's'])} = ${inner()}`,
      () => `${pick(['a', 'b', 't', '_G', 'string'])} = ${inner()}`,
      () => `${pick(['a', 't', '_G', 'Tensor'])}[${inner()}] = ${inner()}`,
      () => `if ${inner()} then ${block(depth - 1)} else ${block(depth - 1)} end`,
      () => `for i = ${inner()}, ${inner()} do ${block(depth - 1)} end`,
      () => `while ${inner()} do ${block(depth - 1)} end`,
      () => `local function f(a, ...) ${block(depth - 1)} return f(a) end`,
      () => `pcall(function() ${block(depth - 1)} end)`,
      () => `${pick(CALLS)}(${some(inner, 3).join(', ')})`,
      () => (random() < 0.03 ? pick(['goto done', 'break', '@', ')', '--[[']) : 'b = t'),
    ];
    return (forms[Math.floor(random() * (depth > 0 ? forms.length : 3))] ?? forms[0])?.() ?? '';
  };
  const block = (depth: number): string => (depth <= 0 ? '' : some(() => statement(depth), 3).join('\n'));

  // Most statements fail; the next one must still run.
  const guarded = (): string => `pcall(function(...) ${statement(4)} end, t, a)`;
  const result = random() < 0.5 ? 't' : expression(3);
  return `function Postprocess(t, ...)\nlocal a, b, s = t + 1, {t, 2}, "text"\n${some(guarded, 8).join('\n')}\nreturn ${result}\nend`;
}
