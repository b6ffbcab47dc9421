import { create, createFileRegistry } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { createDescriptorIndex } from '#encoder/grpc/server/descriptor-index.ts';

test('extensions are found by the type they extend and their number', () => {
  const file = create(FileDescriptorProtoSchema, {
    name: 'shop.proto',
    package: 'shop',
    syntax: 'proto2',
    messageType: [{ name: 'Order', extensionRange: [{ start: 100, end: 200 }] }],
    extension: [
      {
        name: 'colour',
        number: 120,
        extendee: '.shop.Order',
        type: FieldDescriptorProto_Type.STRING,
        label: FieldDescriptorProto_Label.OPTIONAL,
      },
    ],
    service: [
      { name: 'Shop', method: [{ name: 'Buy', inputType: '.shop.Order', outputType: '.shop.Order' }] },
    ],
  });
  const service = createFileRegistry(file, () => undefined).getService('shop.Shop');
  if (!service) throw new Error('the file has no service');
  const index = createDescriptorIndex([service]);
  expect(index.extensionNumbers('shop.Order')).toEqual([120]);
  expect(index.fileByExtension('shop.Order', 120)).toEqual(index.fileByName('shop.proto'));
  expect(index.fileByExtension('shop.Order', 121)).toBeUndefined();
  expect(index.fileBySymbol('shop.colour')).toHaveLength(1);
  expect(index.fileBySymbol('shop.Shop.Buy')).toHaveLength(1);
  expect(index.extensionNumbers('shop.Other')).toBeUndefined();
});
