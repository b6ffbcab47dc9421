/**
 * Loads or calls an experimental Node feature without the warning. This is safe, because the Node
 * version with which the feature was tested is pinned.
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
