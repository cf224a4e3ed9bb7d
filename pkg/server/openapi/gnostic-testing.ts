import protobuf from 'protobufjs';

/**
 * The parts of gnostic's message definitions that our documents use, written down a second time, for tests: what the
 * encoders write is decoded by these, and turned back into the JSON form.
 */

const v2Definition = `
syntax = "proto3";
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message Info { string title = 1; string version = 2; }
message Document {
  string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9;
  repeated SecurityRequirement security = 12; SecurityDefinitions security_definitions = 13;
}
message SecurityRequirement { repeated NamedStringArray additional_properties = 1; }
message NamedStringArray { string name = 1; StringArray value = 2; }
message StringArray { repeated string value = 1; }
message SecurityDefinitions { repeated NamedSecurityDefinitionsItem additional_properties = 1; }
message NamedSecurityDefinitionsItem { string name = 1; SecurityDefinitionsItem value = 2; }
message SecurityDefinitionsItem { ApiKeySecurity api_key_security = 2; }
message ApiKeySecurity { string type = 1; string name = 2; string in = 3; string description = 4; }
message Paths { repeated NamedPathItem path = 2; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message PathItem {
  Operation get = 2; Operation put = 3; Operation post = 4; Operation delete = 5; Operation options = 6; Operation head = 7; Operation patch = 8;
  repeated ParametersItem parameters = 9;
}
message Operation {
  repeated string tags = 1; string description = 3; string operation_id = 5; repeated string produces = 6; repeated string consumes = 7;
  repeated ParametersItem parameters = 8; Responses responses = 9; repeated string schemes = 10; repeated NamedAny vendor_extension = 13;
}
message ParametersItem { Parameter parameter = 1; }
message Parameter { BodyParameter body_parameter = 1; NonBodyParameter non_body_parameter = 2; }
message NonBodyParameter { QueryParameter query_parameter_sub_schema = 3; PathParameter path_parameter_sub_schema = 4; }
message BodyParameter { string description = 1; string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
message QueryParameter { bool required = 1; string in = 2; string description = 3; string name = 4; string type = 6; bool unique_items = 20; }
message PathParameter { bool required = 1; string in = 2; string description = 3; string name = 4; string type = 5; bool unique_items = 19; }
message Responses { repeated NamedResponseValue response_code = 1; }
message NamedResponseValue { string name = 1; ResponseValue value = 2; }
message ResponseValue { Response response = 1; }
message Response { string description = 1; SchemaItem schema = 2; }
message SchemaItem { Schema schema = 1; }
message Definitions { repeated NamedSchema additional_properties = 1; }
message Properties { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message AdditionalPropertiesItem { Schema schema = 1; }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message Schema {
  string _ref = 1; string format = 2; string description = 4; Any default = 5; repeated string required = 19; repeated Any enum = 20;
  AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23; Properties properties = 25;
  repeated NamedAny vendor_extension = 31;
}`;

const v3Definition = `
syntax = "proto3";
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message Info { string title = 1; string version = 6; }
message Document { string openapi = 1; Info info = 2; Paths paths = 4; Components components = 5; repeated SecurityRequirement security = 6; }
message Components { Schemas schemas = 1; SecuritySchemes security_schemes = 7; }
message Schemas { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; SchemaOrReference value = 2; }
message SchemaOrReference { oneof choice { Schema schema = 1; Reference reference = 2; } }
message Reference { string _ref = 1; }
message SecurityRequirement { repeated NamedStringArray additional_properties = 1; }
message NamedStringArray { string name = 1; StringArray value = 2; }
message StringArray { repeated string value = 1; }
message SecuritySchemes { repeated NamedSecurityScheme additional_properties = 1; }
message NamedSecurityScheme { string name = 1; SecuritySchemeOrReference value = 2; }
message SecuritySchemeOrReference { SecurityScheme security_scheme = 1; }
message SecurityScheme { string type = 1; string description = 2; string name = 3; string in = 4; }
message Paths { repeated NamedPathItem path = 1; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message PathItem {
  Operation get = 4; Operation put = 5; Operation post = 6; Operation delete = 7; Operation options = 8; Operation head = 9; Operation patch = 10;
  repeated ParameterOrReference parameters = 13;
}
message Operation {
  repeated string tags = 1; string description = 3; string operation_id = 5; repeated ParameterOrReference parameters = 6;
  RequestBodyOrReference request_body = 7; Responses responses = 8; repeated NamedAny specification_extension = 13;
}
message ParameterOrReference { Parameter parameter = 1; }
message Parameter { string name = 1; string in = 2; string description = 3; bool required = 4; SchemaOrReference schema = 10; }
message RequestBodyOrReference { RequestBody request_body = 1; }
message RequestBody { MediaTypes content = 2; bool required = 3; }
message MediaTypes { repeated NamedMediaType additional_properties = 1; }
message NamedMediaType { string name = 1; MediaType value = 2; }
message MediaType { SchemaOrReference schema = 1; }
message Responses { repeated NamedResponse response_or_reference = 2; }
message NamedResponse { string name = 1; ResponseOrReference value = 2; }
message ResponseOrReference { Response response = 1; }
message Response { string description = 1; MediaTypes content = 3; }
message ItemsItem { repeated SchemaOrReference schema_or_reference = 1; }
message Properties { repeated NamedSchema additional_properties = 1; }
message AdditionalPropertiesItem { SchemaOrReference schema_or_reference = 1; }
message DefaultType { oneof choice { double number = 1; bool boolean = 2; string string = 3; } }
message Schema {
  bool unique_items = 20; repeated string required = 23; repeated Any enum = 24; string type = 25; repeated SchemaOrReference all_of = 26;
  repeated SchemaOrReference one_of = 27; ItemsItem items = 30; Properties properties = 31; AdditionalPropertiesItem additional_properties = 32;
  DefaultType default = 33; string description = 34; string format = 35; repeated NamedAny specification_extension = 36;
}`;

// `any`: decoded messages have no types.
type Decoded = any;

function decode(definition: string, bytes: Uint8Array): Decoded {
  const type = protobuf.parse(definition, { keepCase: true }).root.lookupType('Document');
  return type.toObject(type.decode(bytes));
}

const defined = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, v]) => v !== undefined));
const maybe = (value: Decoded, convert: (value: Decoded) => unknown): unknown =>
  value === undefined ? undefined : convert(value);
const list = (values: Decoded, convert: (value: Decoded) => unknown): unknown[] | undefined => values?.map(convert);
const entries = (values: Decoded, convert: (value: Decoded) => unknown): Record<string, unknown> =>
  Object.fromEntries((values ?? []).map((e: Decoded) => [e.name, convert(e.value)]));
const yaml = (value: Decoded): unknown => JSON.parse(value.yaml) as unknown;
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function pathItem(
  item: Decoded,
  operation: (value: Decoded) => unknown,
  parameter: (value: Decoded) => unknown,
): Record<string, unknown> {
  return defined({
    ...Object.fromEntries(methods.map((m) => [m, maybe(item[m], operation)])),
    parameters: list(item.parameters, parameter),
  });
}

/** Decodes a v2 document and turns it back into the JSON form. */
export function decodeV2(bytes: Uint8Array): Decoded {
  const document = decode(v2Definition, bytes);
  return {
    swagger: document.swagger,
    info: document.info,
    paths: entries(document.paths.path, (item) => pathItem(item, v2Operation, v2Parameter)),
    definitions: entries(document.definitions.additional_properties, v2Schema),
    security: list(document.security, (r) => entries(r.additional_properties, (v) => v.value ?? [])),
    securityDefinitions: entries(document.security_definitions.additional_properties, (v) => v.api_key_security),
  };
}

function v2Operation(o: Decoded): unknown {
  return defined({
    tags: o.tags,
    description: o.description,
    operationId: o.operation_id,
    produces: o.produces,
    consumes: o.consumes,
    schemes: o.schemes,
    parameters: list(o.parameters, v2Parameter),
    responses: entries(o.responses.response_code, ({ response }) =>
      defined({ description: response.description, schema: maybe(response.schema, (s) => v2Schema(s.schema)) }),
    ),
    ...entries(o.vendor_extension, yaml),
  });
}

function v2Parameter({ parameter }: Decoded): unknown {
  const body = parameter.body_parameter;
  if (body !== undefined) return { ...body, schema: v2Schema(body.schema) };
  const { unique_items: uniqueItems, ...rest } =
    parameter.non_body_parameter.query_parameter_sub_schema ?? parameter.non_body_parameter.path_parameter_sub_schema;
  return { ...rest, uniqueItems };
}

function v2Schema(s: Decoded): unknown {
  return defined({
    $ref: s._ref,
    format: s.format,
    description: s.description,
    default: maybe(s.default, yaml),
    required: s.required,
    enum: list(s.enum, yaml),
    additionalProperties: maybe(s.additional_properties, (a) => v2Schema(a.schema)),
    type: s.type?.value[0],
    items: maybe(s.items, (i) => v2Schema(i.schema[0])),
    properties: maybe(s.properties, (p) => entries(p.additional_properties, v2Schema)),
    ...entries(s.vendor_extension, yaml),
  });
}

/** Decodes a v3 document and turns it back into the JSON form. */
export function decodeV3(bytes: Uint8Array): Decoded {
  const document = decode(v3Definition, bytes);
  const { schemas, security_schemes: securitySchemes } = document.components;
  return {
    openapi: document.openapi,
    info: document.info,
    paths: entries(document.paths.path, (item) => pathItem(item, v3Operation, v3Parameter)),
    components: {
      schemas: entries(schemas.additional_properties, v3Schema),
      securitySchemes: entries(securitySchemes.additional_properties, (v) => v.security_scheme),
    },
    security: list(document.security, (r) => entries(r.additional_properties, (v) => v.value ?? [])),
  };
}

const content = (c: Decoded): unknown => entries(c.additional_properties, (m) => ({ schema: v3Schema(m.schema) }));

function v3Operation(o: Decoded): unknown {
  const body = o.request_body?.request_body;
  return defined({
    tags: o.tags,
    description: o.description,
    operationId: o.operation_id,
    parameters: list(o.parameters, v3Parameter),
    requestBody: maybe(body, (b) => defined({ content: content(b.content), required: b.required })),
    responses: entries(o.responses.response_or_reference, ({ response }) =>
      defined({ description: response.description, content: maybe(response.content, content) }),
    ),
    ...entries(o.specification_extension, yaml),
  });
}

function v3Parameter({ parameter }: Decoded): unknown {
  return { ...parameter, schema: v3Schema(parameter.schema) };
}

function v3Schema({ schema: s, reference }: Decoded): unknown {
  if (reference !== undefined) return { $ref: reference._ref };
  return defined({
    format: s.format,
    description: s.description,
    default: maybe(s.default, (d) => Object.values(d)[0]),
    required: s.required,
    enum: list(s.enum, yaml),
    uniqueItems: s.unique_items,
    type: s.type,
    allOf: list(s.all_of, v3Schema),
    oneOf: list(s.one_of, v3Schema),
    additionalProperties: maybe(s.additional_properties, (a) => v3Schema(a.schema_or_reference)),
    items: maybe(s.items, (i) => v3Schema(i.schema_or_reference[0])),
    properties: maybe(s.properties, (p) => entries(p.additional_properties, v3Schema)),
    ...entries(s.specification_extension, yaml),
  });
}
