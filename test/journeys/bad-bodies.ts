import { INVALID, type Refused, short } from './bad-input.ts'

const create = (what: string, body: string, fields: readonly string[], code = INVALID): Refused => [
  `a create ${what}`,
  { method: 'POST', path: '/api/tasks', body },
  400,
  code,
  fields,
]

/** Values of the wrong type or size for each field of a create, with the place of the fault in it. */
const BAD_FIELDS: readonly (readonly [field: string, value: unknown, place?: string])[] = [
  ...['', '   ', ' T', 'x'.repeat(501), 5, null, ['a'], {}, true].map((value) => ['title', value] as const),
  ...['description', 'prompt'].flatMap((field) =>
    [5, null, ['a'], {}, 'x'.repeat(100_001)].map((value) => [field, value] as const),
  ),
  ...[0, 5, 1.5, -1, '1', null, [1], true].map((value) => ['priority', value] as const),
  ...['email', 'gateway', '', 1, null].map((value) => ['source', value] as const),
  ...[1, null, 'x'.repeat(501)].map((value) => ['sourceId', value] as const),
  ...['no url', 'javascript:alert(1)', 'ftp://a.example', 1].map((value) => ['sourceUrl', value] as const),
  ...['repository', 'branch'].flatMap((field) =>
    ['', 1, null, 'x'.repeat(501)].map((value) => [field, value] as const),
  ),
  ...['mode', 'securityMode', 'maxCost', 'timeout'].map((field) => [field, 'ask'] as const),
  ['labels', 'a'],
  ['labels', { 0: 'a' }],
  ['labels', ['a', 1], 'labels.1'],
  ['labels', [''], 'labels.0'],
  ['labels', ['a', ' test '], 'labels.1'],
  ['labels', ['x'.repeat(201)], 'labels.0'],
  ['labels', Array.from({ length: 51 }, () => 'a')],
  ...['', 1, null].map((value) => ['assignedAgent', value] as const),
  ...[0, -1, 999, 86_400_001, 1e12, 1_500.5, '60000', '1h', null, true, [60_000], {}].map(
    (value) => ['timeoutMs', value] as const,
  ),
  ...[0, -1, 201, 1.5, 1e12, '10', null, true, [10], {}].map((value) => ['maxSteps', value] as const),
  ['runsOn', 'gpu'],
  ['runsOn', null],
  ['runsOn', Array.from({ length: 11 }, (_, n) => `l${n}`)],
  ...['', ' ', ' gpu', 'x'.repeat(101), 1, null].map(
    (label) => ['runsOn', ['linux', label], 'runsOn.1'] as const,
  ),
  ...['text', 1, null, []].map((value) => ['metadata', value] as const),
]

const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`

export const badCreates: Refused[] = [
  ...BAD_FIELDS.map(([field, value, place = field]) =>
    create(
      short(`whose ${field} is ${JSON.stringify(value)}`),
      JSON.stringify({ title: 'T', [field]: value }),
      [place],
    ),
  ),
  create('that is empty', '', ['title']),
  create('with several faults', '{"priority":9,"labels":[1]}', ['title', 'priority', 'labels.0']),
  create(
    'for an agent that is not there',
    '{"title":"T","assignedAgent":"x"}',
    ['assignedAgent'],
    'agent_unknown',
  ),
  ...['[]', 'null', '"text"', '5', 'true'].map((body) => create(`that is ${body}`, body, [''])),
  ...['{', '{"title":}', "{'title':'T'}", '{"title":"T"}}', 'title=T', '\u0000', '\ufeff{}', 'NaN'].map(
    (body) => create(`that is no JSON: ${JSON.stringify(body)}`, body, [''], 'invalid_json'),
  ),
  create('that is 5,000 levels deep', deep, [''], 'json_too_deep'),
  create('with metadata 5,000 levels deep', `{"title":"T","metadata":{"a":${deep}}}`, [''], 'json_too_deep'),
  create('with __proto__', '{"title":"T","__proto__":{"role":"admin"}}', ['__proto__']),
  create('with __proto__ inside', '{"title":"T","metadata":{"a":[{"__proto__":1}]}}', [
    'metadata.a.0.__proto__',
  ]),
  [
    'a create with a bad Idempotency-Key',
    { method: 'POST', path: '/api/tasks', body: '{"title":"T"}', headers: { 'idempotency-key': 'a b' } },
    400,
    INVALID,
    ['idempotency-key'],
  ],
]

const transfer = (body: string, fields: readonly string[], code = INVALID): Refused => [
  short(`an import of ${body}`),
  { method: 'POST', path: '/api/tasks/import', body },
  400,
  code,
  fields,
]

export const badImports: Refused[] = [
  transfer('{}', ['version', 'tasks']),
  transfer('{"version":"2.0","tasks":[]}', ['version']),
  transfer('{"version":1,"tasks":[]}', ['version']),
  transfer('{"version":"1.0"}', ['tasks']),
  transfer('{"version":"1.0","tasks":{}}', ['tasks']),
  transfer('[]', ['']),
  transfer('{"version":', [''], 'invalid_json'),
  transfer(`{"version":"1.0","tasks":${deep}}`, [''], 'json_too_deep'),
  transfer('{"version":"1.0","tasks":[],"__proto__":1}', ['__proto__']),
  transfer('{"version":"1.0","tasks":[],"tasks":{}}', ['tasks']),
  transfer('{"version":"1.0","\\u0074asks":[{}]}', ['tasks']),
  transfer('{"version":"1.0","tasks":[{}', [''], 'invalid_json'),
]

/** Whatever type it is said to have. */
export const notUtf8: Refused[] = ['application/json', 'application/octet-stream', 'text/plain', ''].map(
  (type) => [
    `a create in letters that are not UTF-8, of type '${type}'`,
    {
      method: 'POST',
      path: '/api/tasks',
      headers: { 'content-type': type },
      body: Buffer.from('{"title":"\xff\xfe"}', 'latin1'),
    },
    400,
    'invalid_json',
    [''],
  ],
)

const LARGE = JSON.stringify({ title: 'x'.repeat(1_048_576) })

export const oversized: Refused[] = [
  ['a create of more than 1 MiB', { method: 'POST', path: '/api/tasks', body: LARGE }, 413, 'body_too_large'],
  [
    'a create of more than 1 MiB in chunks',
    { method: 'POST', path: '/api/tasks', body: LARGE, headers: { 'transfer-encoding': 'chunked' } },
    413,
    'body_too_large',
  ],
  [
    'a body of more than 1 MiB where none is read',
    { method: 'POST', path: '/api/notifications/read-all', body: LARGE },
    413,
    'body_too_large',
  ],
  [
    'an import that announces more than 50 MiB',
    { method: 'POST', path: '/api/tasks/import', body: '{}', headers: { 'content-length': '52428801' } },
    413,
    'body_too_large',
  ],
]
