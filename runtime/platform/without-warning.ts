/**
 * Loads or calls an experimental Node feature without the warning. The Node version that this was
 * tested with is pinned.
 */
export function withoutWarning<Result>(load: () => Result): Result {
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    if (emitWarning) Object.defineProperty(process, 'emitWarning', emitWarning);
  }
}
