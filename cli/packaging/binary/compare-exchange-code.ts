/**
 * Machine code of `__atomic_compare_exchange(size, pointer, expected, desired, success order, failure order)` for 8 bytes, by
 * ELF machine number: if `*pointer` is `*expected`, it becomes `*desired` and the result is 1; otherwise `*expected` becomes
 * `*pointer` and the result is 0. Both memory orders are the strictest. V8 calls it with size 8 only; any other size, and on
 * arm64 a misaligned pointer, ends the process instead of returning a wrong result.
 */
const CODE: Readonly<Record<number, readonly Instruction[]>> = {
  // EM_X86_64
  62: [
    ['4883ff08', 'cmp rdi, 8'],
    ['7519', 'jne unsupported'],
    ['488b02', 'mov rax, [rdx]'],
    ['488b09', 'mov rcx, [rcx]'],
    ['f0480fb10e', 'lock cmpxchg [rsi], rcx'],
    ['7506', 'jne different'],
    ['b801000000', 'mov eax, 1'],
    ['c3', 'ret'],
    ['488902', 'different: mov [rdx], rax'],
    ['31c0', 'xor eax, eax'],
    ['c3', 'ret'],
    ['0f0b', 'unsupported: ud2'],
  ],
  // EM_AARCH64
  183: [
    ['1f2000f1', 'cmp x0, #8'],
    ['01020054', 'b.ne unsupported'],
    ['3f0840f2', 'tst x1, #7'],
    ['c1010054', 'b.ne unsupported'],
    ['440040f9', 'ldr x4, [x2]'],
    ['630040f9', 'ldr x3, [x3]'],
    ['25fc5fc8', 'retry: ldaxr x5, [x1]'],
    ['bf0004eb', 'cmp x5, x4'],
    ['a1000054', 'b.ne different'],
    ['23fc06c8', 'stlxr w6, x3, [x1]'],
    ['86ffff35', 'cbnz w6, retry'],
    ['20008052', 'mov w0, #1'],
    ['c0035fd6', 'ret'],
    ['5f3f03d5', 'different: clrex'],
    ['450000f9', 'str x5, [x2]'],
    ['00008052', 'mov w0, #0'],
    ['c0035fd6', 'ret'],
    ['000020d4', 'unsupported: brk #0'],
  ],
};

/** The bytes of an instruction as they are in the file, in hexadecimal, and its assembly. */
type Instruction = readonly [bytes: string, assembly: string];

export function compareExchangeCode(machine: number): Uint8Array | undefined {
  const code = CODE[machine];
  return code && Uint8Array.fromHex(code.map(([bytes]) => bytes).join(''));
}
