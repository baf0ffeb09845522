import type { Asked } from './raw.ts'

/** A request that must be refused, as what, and which fields its details must name. */
export type Refused = [what: string, asked: Asked, status: number, code: string, fields?: readonly string[]]

const LISTS = ['/api/tasks', '/api/tasks/filter', '/api/dlq', '/api/notifications']
const BAD_PAGES = [
  ['limit', ['0', '201', '-1', '1.5', 'abc', '', '1e2', '0x10', '9'.repeat(16)]],
  ['offset', ['-1', '1.5', 'abc', '', '9'.repeat(30)]],
  ['cursor', ['x', 'abcdefgh', 'W10', '%00', 'A'.repeat(6_001)]],
] as const

export const INVALID = 'validation_failed'
export const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text)

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

/** What is wrong in a query, and the fields at fault. */
type Fault = readonly [text: string, ...fields: string[]]

const DATES = ['createdAfter', 'createdBefore', 'completedAfter', 'completedBefore']
const NO_DATES = ['yesterday', '2024-02-30', '2024-13-01T00:00:00Z', '1700000000', '']

const BAD_QUERIES: Readonly<Record<string, readonly Fault[]>> = {
  '/api/tasks': [
    ...['resting', '', 'queued&status=failed', '__proto__'].map(
      (value): Fault => [`status=${value}`, 'status'],
    ),
    ['fields=secret', 'fields'],
    ['fields=', 'fields'],
    ['fields=title,fence', 'fields'],
    ['fields=__proto__', 'fields'],
    ['full=yes', 'full'],
    ['limit=0&offset=-1&status=x', 'status', 'limit', 'offset'],
    ['limit=1&limit=2', 'limit'],
  ],
  '/api/tasks/filter': [
    ['status=queued,resting', 'status'],
    ['status=queued,', 'status'],
    ['priority=0', 'priority'],
    ['priority=1,5', 'priority'],
    ['source=email', 'source'],
    ['agent=', 'agent'],
    ['labels=a,,b', 'labels'],
    [`labels=${Array.from({ length: 101 }, () => 'a')}`, 'labels'],
    ['repository=', 'repository'],
    ['q=', 'q'],
    [`q=${'x'.repeat(501)}`, 'q'],
    ['sortBy=id', 'sortBy'],
    ['sortBy=prompt', 'sortBy'],
    ['sortBy=__proto__', 'sortBy'],
    ['sortOrder=up', 'sortOrder'],
    ...DATES.flatMap((field) => NO_DATES.map((value): Fault => [`${field}=${value}`, field])),
  ],
  '/api/dlq': ['failed', ''].map((value): Fault => [`status=${value}`, 'status']),
}

export const badQueries: Refused[] = Object.entries(BAD_QUERIES).flatMap(([path, faults]) =>
  faults.map((fault) => query(path, ...fault)),
)

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
  const requestWithId = (id: string) => ({ method, path: path.replace('{}', id) })
  const unknown = [
    'task_unknown',
    '__proto__',
    'constructor',
    '%00',
    '..%2F..%2Fetc%2Fpasswd',
    '%F0%9F%92%A5',
  ]
  return [
    ...unknown.map((id): Refused => [`${method} ${path} of ${id}`, requestWithId(id), 404, code]),
    [`${method} ${path} of an id that is too long`, requestWithId('x'.repeat(201)), 400, INVALID, ['id']],
    [`${method} ${path} of broken encoding`, requestWithId('%E0%A4%A'), 404, 'resource_not_found'],
  ]
})

const nowhere = [
  '/api',
  '/api/',
  '/api/task',
  '/api/tasks/',
  '/api/settings/',
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
