import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/**
 * Looks up descriptors of a set of services, for server reflection. Returns undefined for an
 * unknown name.
 */
export interface DescriptorIndex {
  readonly services: readonly string[];
  /** Returns the encoded descriptors of a file and of all files that it imports. */
  readonly fileByName: (name: string) => Uint8Array[] | undefined;
  /** Returns the same for the file that defines a service, method, message, field, enum or extension. */
  readonly fileBySymbol: (symbol: string) => Uint8Array[] | undefined;
  readonly fileByExtension: (type: string, number: number) => Uint8Array[] | undefined;
  readonly extensionNumbers: (type: string) => number[] | undefined;
}

export function createDescriptorIndex(services: readonly DescService[]): DescriptorIndex {
  const files = withImports(services.map(({ file }) => file));
  const byName = new Map(files.map((file) => [file.proto.name, file]));
  const bySymbol = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  for (const file of files) {
    for (const type of nestedTypes(file)) {
      bySymbol.set(type.typeName, file);
      if (type.kind === 'service') {
        for (const { name } of type.methods) bySymbol.set(`${type.typeName}.${name}`, file);
      }
      if (type.kind === 'message') {
        for (const { name } of type.fields) bySymbol.set(`${type.typeName}.${name}`, file);
        extensions.set(type.typeName, new Map());
      }
    }
  }
  for (const file of files) {
    for (const type of nestedTypes(file)) {
      if (type.kind === 'extension') extensions.get(type.extendee.typeName)?.set(type.number, file);
    }
  }
  const encoded = (file: DescFile | undefined): Uint8Array[] | undefined =>
    file && withImports([file]).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return {
    services: services.map(({ typeName }) => typeName).sort(),
    fileByName: (name) => encoded(byName.get(name)),
    fileBySymbol: (symbol) => encoded(bySymbol.get(symbol)),
    fileByExtension: (type, number) => encoded(extensions.get(type)?.get(number)),
    extensionNumbers: (type) => {
      const numbers = extensions.get(type);
      return numbers && [...numbers.keys()];
    },
  };
}

/** Lists each file once, before the files that it imports. */
function withImports(files: readonly DescFile[]): DescFile[] {
  const all = new Set<DescFile>();
  const add = (file: DescFile): void => {
    if (all.has(file)) return;
    all.add(file);
    for (const imported of file.dependencies) add(imported);
  };
  for (const file of files) add(file);
  return [...all];
}
