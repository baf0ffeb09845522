import type { Asked } from './raw.ts'

/** A request that must be refused, as what, and which fields its details must name. */
export type Refused = [what: string, asked: Asked, status: number, code: string, fields?: readonly string[]]

const LISTS = ['/api/tasks', '/api/tasks/filter', '/api/dlq', '/api/notifications']
const BAD_PAGES = [
  ['limit', ['0', '201', '-1', '1.5', 'abc', '', '1e2', '0x10', '9'.repeat(16)]],
  ['offset', ['-1', '1.5', 'abc', '', '9'.repeat(30)]],
  ['cursor', ['x', 'abcdefgh', 'W10', '%00', 'A'.repeat(6_001)]],
] as const

const INVALID = 'validation_failed'
const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text)

/** A GET whose query has one field at fault, named with its place in a list. */
const query = (path: string, text: string, ...fields: string[]): Refused => [
  short(`GET ${path}?${text}`),
  { path: `${path}?${text}` },
  400,
  INVALID,
  fields,
]

export const badPages: Refused[] = LISTS.flatMap((path) =>
  BAD_PAGES.flatMap(([field, values]) => values.map((value) => query(path, `${field}=${value}`, field))),
)

export const badQueries: Refused[] = [
  query('/api/tasks', 'status=resting', 'status'),
  query('/api/tasks', 'status=', 'status'),
  query('/api/tasks', 'status=queued&status=failed', 'status'),
  query('/api/tasks', 'status=__proto__', 'status'),
  query('/api/tasks', 'fields=secret', 'fields.0'),
  query('/api/tasks', 'fields=title,fence', 'fields.1'),
  query('/api/tasks', 'fields=__proto__', 'fields.0'),
  query('/api/tasks', 'full=yes', 'full'),
  query('/api/tasks', 'limit=0&offset=-1&status=x', 'status', 'limit', 'offset'),
  query('/api/tasks', 'limit=1&limit=2', 'limit'),
  query('/api/tasks/filter', 'status=queued,resting', 'status.1'),
  query('/api/tasks/filter', 'priority=0', 'priority.0'),
  query('/api/tasks/filter', 'priority=1,5', 'priority.1'),
  query('/api/tasks/filter', 'source=email', 'source.0'),
  query('/api/tasks/filter', 'agent=', 'agent.0'),
  query('/api/tasks/filter', 'labels=a,,b', 'labels.1'),
  query('/api/tasks/filter', `labels=${Array.from({ length: 101 }, () => 'a')}`, 'labels'),
  query('/api/tasks/filter', 'repository=', 'repository'),
  query('/api/tasks/filter', 'q=', 'q'),
  query('/api/tasks/filter', `q=${'x'.repeat(501)}`, 'q'),
  query('/api/tasks/filter', 'sortBy=id', 'sortBy'),
  query('/api/tasks/filter', 'sortBy=__proto__', 'sortBy'),
  query('/api/tasks/filter', 'sortOrder=up', 'sortOrder'),
  ...['createdAfter', 'createdBefore', 'completedAfter', 'completedBefore'].flatMap((field) =>
    ['yesterday', '2024-02-30', '2024-13-01T00:00:00Z', '1700000000', ''].map((value) =>
      query('/api/tasks/filter', `${field}=${value}`, field),
    ),
  ),
  query('/api/dlq', 'status=failed', 'status'),
  query('/api/dlq', 'status=', 'status'),
]

const create = (what: string, body: string, fields: readonly string[], code = INVALID): Refused => [
  `a create ${what}`,
  { method: 'POST', path: '/api/tasks', body },
  400,
  code,
  fields,
]

/** Values of the wrong type or size for each field of a create, with the place of the fault in it. */
const BAD_FIELDS: readonly (readonly [field: string, value: unknown, place?: string])[] = [
  ...['', '   ', 'x'.repeat(501), 5, null, ['a'], {}, true].map((value) => ['title', value] as const),
  ...['description', 'prompt'].flatMap((field) =>
    [5, null, ['a'], {}, 'x'.repeat(100_001)].map((value) => [field, value] as const),
  ),
  ...[0, 5, 1.5, -1, '1', null, [1], true].map((value) => ['priority', value] as const),
  ...['email', '', 1, null].map((value) => ['source', value] as const),
  ...[1, null, 'x'.repeat(501)].map((value) => ['sourceId', value] as const),
  ...['no url', 'javascript:alert(1)', 'ftp://a.example', 1].map((value) => ['sourceUrl', value] as const),
  ...['repository', 'branch'].flatMap((field) =>
    ['', 1, null, 'x'.repeat(501)].map((value) => [field, value] as const),
  ),
  ['labels', 'a'],
  ['labels', { 0: 'a' }],
  ['labels', ['a', 1], 'labels.1'],
  ['labels', [''], 'labels.0'],
  ['labels', ['x'.repeat(201)], 'labels.0'],
  ['labels', Array.from({ length: 51 }, () => 'a')],
  ...['', 1, null].map((value) => ['assignedAgent', value] as const),
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
    ['Idempotency-Key'],
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
  transfer(`{"version":"1.0","tasks":[${'0,'.repeat(200_000)}0]}`, ['tasks']),
  transfer('[]', ['']),
  transfer('{"version":', [''], 'invalid_json'),
  transfer(`{"version":"1.0","tasks":${deep}}`, [''], 'json_too_deep'),
  transfer('{"version":"1.0","tasks":[{"__proto__":1}]}', ['tasks.0.__proto__']),
]

/** Every route with an id in its path. */
const OF_ID: readonly (readonly [method: string, path: string, code: string])[] = [
  ['GET', '/api/tasks/{}', 'task_not_found'],
  ['GET', '/api/tasks/{}/events', 'task_not_found'],
  ['POST', '/api/tasks/{}/cancel', 'task_not_found'],
  ['POST', '/api/tasks/{}/retry', 'task_not_found'],
  ['POST', '/api/dlq/{}/retry', 'dead_letter_not_found'],
  ['POST', '/api/dlq/{}/discard', 'dead_letter_not_found'],
  ['POST', '/api/notifications/{}/read', 'notification_not_found'],
]

export const badIds: Refused[] = OF_ID.flatMap(([method, path, code]): Refused[] => {
  const asked = (id: string) => ({ method, path: path.replace('{}', id) })
  const unknown = [
    'task_unknown',
    '__proto__',
    'constructor',
    '%00',
    '..%2F..%2Fetc%2Fpasswd',
    '%F0%9F%92%A5',
  ]
  return [
    ...unknown.map((id): Refused => [`${method} ${path} of ${id}`, asked(id), 404, code]),
    [`${method} ${path} of an id that is too long`, asked('x'.repeat(201)), 400, INVALID, ['id']],
    [`${method} ${path} of broken encoding`, asked('%E0%A4%A'), 404, 'resource_not_found'],
  ]
})

const nowhere = [
  '/',
  '/api',
  '/api/',
  '/api/task',
  '/api/tasks/a/b',
  '/api/tasks/a/events/b',
  '/api/dlq/a',
  '//api/tasks',
  '/__proto__',
  '/api/%E0%A4%A',
]

export const unknownRoutes: Refused[] = nowhere.map((path) => [
  `GET ${path}`,
  { path },
  404,
  'route_not_found',
])

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
