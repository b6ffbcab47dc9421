// Runs on Windows: loads the libraries in the arguments, `<path>=<function>`, which must have the function.
const { dlopen } = process.getBuiltinModule('node:ffi');

for (const argument of process.argv.slice(2)) {
  const [path, name] = argument.split('=');
  dlopen(path, {}).lib.getSymbol(name);
}
